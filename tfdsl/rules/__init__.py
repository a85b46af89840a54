"""The rules of a job, whether it comes from a text, from JSON or from Python.

Every rule is one function here. It takes plain values, or a job that implements :mod:`tfdsl.rules.protocols`, and
yields :class:`~tfdsl.rules.broken.Broken`: the rule, the values for its message, and the place in what was checked. The
semantics turns the place into a span of the source, the models of the IR into the location of a pydantic error.
"""
