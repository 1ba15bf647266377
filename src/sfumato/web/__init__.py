"""The workbench: pages in a browser of this computer that edit one policy and have verbs do the work."""
