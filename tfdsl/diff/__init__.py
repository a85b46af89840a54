"""What differs between two jobs as their cluster would see them: texts, revisions of texts, and manifests.

:mod:`tfdsl.diff.sides` reads what is compared, :mod:`tfdsl.diff.objects` brings both sides into the normal form of
their target, :mod:`tfdsl.diff.lines` and :mod:`tfdsl.diff.words` say what is different, :mod:`tfdsl.diff.comparison`
does all of it.
"""
