"""Predict how a job ends when something happens to it: in the language's own meaning, and on each target.

The machine and the faults are those of :mod:`tfdsl.lifecycle`; here are the scenarios that are played without being
asked for, the comparison of a target with the language, and the words and the JSON of the result.
"""
