"""Processes that listen: what a server is made of, the coordinator of sessions between holders, and a holder's own process."""
