"""TFJ4xxx: reading manifests. Their places are in the YAML, JSON, XML or command line that was read."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

# TFJ40xx: the form of what was read (YAML, JSON, XML, words of a shell)
BAD_XML = Rule("TFJ4080", "import-bad-xml", "error", "this XML cannot be read: {problem}")
BAD_WORDS = Rule("TFJ4085", "import-bad-words", "error", "a shell cannot read this: {problem}")
NO_VALUE = Rule(
    "TFJ4086",
    "import-no-value",
    "warning",
    "{what} is not set here, so {word} keeps it as text",
)
MANIFEST_SYNTAX = Rule("TFJ4001", "import-syntax", "error", "this is not {form}: {reason}")
MANIFEST_DUPLICATE_KEY = Rule("TFJ4002", "import-duplicate-key", "error", "the key {key} is set twice")
MANIFEST_ALIAS = Rule("TFJ4003", "import-alias", "error", "the alias {alias} {reason}")
MANIFEST_VALUE = Rule("TFJ4004", "import-value", "error", "{what} cannot be used here: {reason}")
MANIFEST_TOO_DEEP = Rule("TFJ4005", "import-too-deep", "error", "values are nested more than {limit} levels deep here")
MANIFEST_TOO_LARGE = Rule("TFJ4007", "import-too-large", "error", "the manifests have more than {limit} MiB together")
MANIFEST_EMPTY = Rule("TFJ4006", "import-empty", "error", "{path} contains no document")

# TFJ41xx: what it is
NOT_A_MANIFEST = Rule("TFJ4101", "import-not-a-job", "error", "this is {what}, not a manifest of a job")
EMBEDDED = Rule("TFJ4102", "import-embedded", "info", "the {kind} at {where} of {owner} is imported")

# TFJ42xx: what becomes of its parts
NOT_KEPT = Rule("TFJ4201", "import-not-kept", "info", "{what} is left out: {reason}")
SERVER_REFUSES = Rule("TFJ4202", "import-server-refuses", "warning", "the server refuses {what}: {reason}")
READ_DIFFERENTLY = Rule("TFJ4203", "import-read-differently", "info", "{what} becomes {word}: {difference}")
NO_ROLE = Rule("TFJ4204", "import-no-role", "error", "{what} {name} is not a role of the language")
NO_WORDS = Rule("TFJ4205", "import-no-words", "error", "the language cannot say {what}: {reason}")
NOT_TENSORFLOW = Rule("TFJ4206", "import-not-tensorflow", "error", "{what} is not a TensorFlow job: {reason}")

# TFJ43xx: the law
IMPORT_REFUSED = Rule("TFJ4301", "import-refused", "error", "{job} cannot be a job of the language: {problem}")
IMPORT_DIFFERS = Rule("TFJ4302", "import-differs", "warning", "{what} {difference}")
IMPORT_REWORDED = Rule(
    "TFJ4303", "import-reworded", "info", "this is left out, because the job would be wrong: {problem}"
)
IMPORT_NOTHING = Rule("TFJ4304", "import-nothing", "error", "there is no job in it that {who} can read")
