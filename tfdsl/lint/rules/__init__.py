"""The rules, in a module for each subject. ``unused_let`` finds what the rule ``UNUSED_LET`` is about.

The docstring of such a function is the page of its rule, with the headings Why, Bad and Good. The examples are run by
the tests: ``Bad`` gives the rule's diagnostic, ``Good`` does not.
"""
