"""Pod templates to statements of roles: the other direction of :mod:`tfdsl_backends.podspec.pods`.

:func:`tfdsl_backends.podspec.reading.pods.read_pods` fills the draft of a job from the templates of its roles;
:class:`tfdsl_backends.podspec.reading.facts.PodFacts` is what the target knows about them. What the language has no
word for is left alone.
"""
