"""What has to hold in a job, whether it comes from a text, from JSON or from Python.

Every rule is one function here. It is given plain values, or a job that fulfils :mod:`tfdsl.rules.protocols`, and
yields :class:`~tfdsl.rules.broken.Broken`: the rule, its words, and the place below what was given. The semantics turns
the place into a span of the source, the IR's models into the location of a pydantic error.
"""
