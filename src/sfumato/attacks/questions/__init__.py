"""The three questions of European authorities, answered against a control group."""
