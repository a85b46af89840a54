"""The programs of a Slider package that only Slider has.

They are modules here, so that they can be checked, typed and tested; :mod:`tfdsl_backends.slider.lower` puts them into
the package, where they import each other by their plain names. They run under the agent's Python (2.6 or newer) and
under Python 3, with only the standard library and the agent's ``resource_management``, hence the type comments and the
old spellings.
"""
