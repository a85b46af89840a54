"""What differs between two jobs as their cluster would see them: texts, revisions of texts, and manifests.

:mod:`tfdsl.comparing.sides` reads what is compared, :mod:`tfdsl.comparing.comparison` brings both sides into the normal
form of their target, :mod:`tfdsl.comparing.comparison` and :mod:`tfdsl.comparing.comparison` say what is different,
:mod:`tfdsl.comparing.comparison` does all of it.
"""
