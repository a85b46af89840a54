"""The engine of the playground: one session over the compiler and what the language server knows of a text.

It runs in the browser, in a Python of its own, and speaks the words of ``site/playground/protocol.ts``. Importing it
loads neither pydantic nor a target, so the text can be checked before those are there.
"""
