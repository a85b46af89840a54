"""The language as tables: one row per attribute, statement, event, action, function and type.

Checks, completion, hover, ``tfdsl explain``, the JSON Schema, the reference page and the editor grammars all read
these rows; nothing else in the tree repeats them.
"""
