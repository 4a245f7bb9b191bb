"""Oracles: what the right answer is, in another form than the solutions (laws, loops, constants), in NumPy.

One module a lesson, each with `PROBES` and `MISTAKES`: the known mistakes are options of the oracle. A learner
may read them.
"""
