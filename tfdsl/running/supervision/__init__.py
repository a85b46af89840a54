"""The supervisor of a local run, a program of its own: :mod:`~tfdsl.running.supervision.program`.

It has to start within milliseconds and to survive whatever its replicas do, so its modules import only what they need:
no ``typing``, no records, nothing of the compiler.
"""
