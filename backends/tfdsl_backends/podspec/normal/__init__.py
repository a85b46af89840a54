"""The normal form of what the Kubernetes family writes: one for all that servers and controllers treat alike.

:mod:`.tables` has the defaults and the lists that are sets, :mod:`.walk` applies them and knows which fields there are
and what an empty one means, :mod:`.rules` look at more than one field, :mod:`.documents` at the whole. What a target
adds to them is a :class:`~tfdsl_backends.podspec.normal.walk.Dialect` in the target's ``normal`` module.
"""
