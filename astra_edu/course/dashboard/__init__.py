"""The what-if and the cut-the-model instruments in a web page, without code, for several people at once.

Each open page has a process of its own (worker.py), in which its designs are (designs.py); server.py passes words
between the two, and lets nobody in who can't name the token.
"""
