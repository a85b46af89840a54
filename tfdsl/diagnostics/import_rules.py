"""TFJ4xxx: reading manifests. Their places are in the YAML, JSON, XML or command line that was read."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

# TFJ40xx: the form of what was read (YAML, JSON, XML, words of a shell)
BAD_XML = Rule("TFJ4080", "import-bad-xml", "error", "this XML cannot be read: {problem}")
BAD_WORDS = Rule("TFJ4085", "import-bad-words", "error", "these words cannot be read as a shell does: {problem}")
NO_VALUE = Rule(
    "TFJ4086",
    "import-no-value",
    "warning",
    "{what} has no value here; {word} keeps it as text, which nothing replaces",
)

# TFJ41xx: what it is

# TFJ42xx: what becomes of its parts
NOT_KEPT = Rule("TFJ4201", "import-not-kept", "info", "{what} is left out: {reason}")
SERVER_REFUSES = Rule("TFJ4202", "import-server-refuses", "warning", "the server refuses {what}: {reason}")
READ_DIFFERENTLY = Rule("TFJ4203", "import-read-differently", "info", "{what} becomes {word}: {difference}")
NO_ROLE = Rule("TFJ4204", "import-no-role", "error", "{what} {name} is no role of the language")

# TFJ43xx: the law
