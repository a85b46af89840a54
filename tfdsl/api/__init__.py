"""What ``import tfdsl`` offers to Python programs; docs/python.md shows how it is used.

:mod:`tfdsl` exports the names of this package when they are first asked for. Everything here calls
:mod:`tfdsl.compiling.pipeline`, as the commands do, and turns the values of the compiler into those of the public
interface.
"""
