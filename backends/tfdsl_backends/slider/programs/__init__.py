"""The programs of a Slider package.

They are modules here, so they can be checked, typed and tested; :mod:`tfdsl_backends.slider.lower` makes of them the
scripts beside ``role.py``, which import each other by their plain names. They run under the agent's Python (2.6 or
newer) and under Python 3, with the standard library and the agent's ``resource_management`` only, hence the type
comments and the old spellings.
"""
