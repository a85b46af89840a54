"""The normal form of what the Kubernetes family writes: one for all that servers and controllers treat alike.

:mod:`.types` knows which fields there are and what an empty one means, :mod:`.tables` the defaults and the lists that
are sets, :mod:`.walk` applies them, and the other modules are the rules that look at more than one field. What a
target adds to them is a :class:`~tfdsl_backends.podspec.normal.walk.Dialect` in the target's ``normal`` module.
"""
