"""From a text, or a job that is data, to the documents of a target; and what front ends ask about both.

``pipeline`` is the only module that knows the order of the stages. ``front_end`` is what the command line, the editors
and the Python API share.
"""
