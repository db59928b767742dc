"""The explorer: a web page on this machine on which a model is moved, swept and followed.

`launch.py` starts it, `server.py` talks to pages, `scheduler.py` shares worker processes among them, and `worker.py`
computes: each job is a function in `jobs.py` and the files that it names. docs/explorer-protocol.md is the contract
between page and server.
"""
