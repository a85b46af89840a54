"""The rules. Each module has ``RULE``, and ``check_program`` or ``check_job``; its docstring is its page.

A page has the headings Why, Bad and Good; the examples are run by the tests: ``Bad`` gives the rule's diagnostic,
``Good`` does not.
"""
