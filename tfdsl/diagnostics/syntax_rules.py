"""TFJ0xxx: syntax.

``TFJ00xx`` is about characters, strings and nesting, ``TFJ01xx`` about the order of tokens.
"""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule


def _error(code: str, slug: str, message: str) -> Rule:
    return Rule(code, slug, "error", message)


# --- characters, strings, nesting ------------------------------------------------------------------------------

FORBIDDEN_CHARACTER = _error("TFJ0001", "forbidden-character", "{what} is not allowed in a file")
UNEXPECTED_CHARACTER = _error("TFJ0002", "unexpected-character", "unexpected character {what}")
SMART_QUOTES = _error("TFJ0003", "smart-quotes", 'a string needs straight double quotes: "…"')
SINGLE_QUOTES = _error("TFJ0004", "single-quotes", 'a string needs double quotes, not single quotes: "…"')
FOREIGN_COMMENT = _error("TFJ0005", "foreign-comment", "a comment starts with #, not with {mark}")
SEMICOLON = _error("TFJ0006", "semicolon", "items are separated by a new line or a comma, not by a semicolon")
WRONG_ARROW = _error("TFJ0017", "wrong-arrow", "an action follows =>, not ->")
UNCLOSED_STRING = _error("TFJ0007", "unclosed-string", 'this string has no closing "')
UNCLOSED_TEXT = _error("TFJ0008", "unclosed-text-block", "this text block has no closing {mark}")
TEXT_NOT_OPENED = _error(
    "TFJ0018", "text-block-not-opened", "a text block ends below, but its opening {mark} is missing"
)
TEXT_STARTS_ON_NEW_LINE = _error(
    "TFJ0009", "text-block-start", "the text of a block must begin on the line after {mark}"
)
BAD_ESCAPE = _error("TFJ0010", "bad-escape", "{what} is not an escape sequence")
UNDER_INDENTED_TEXT = _error("TFJ0011", "under-indented-text", "this line is indented less than the closing {mark}")
UNCLOSED_INTERPOLATION = _error("TFJ0012", "unclosed-interpolation", "this ${ has no closing }")
EMPTY_INTERPOLATION = _error("TFJ0013", "empty-interpolation", "expected an expression inside ${}")
INTERPOLATED_NAME = _error("TFJ0014", "interpolated-name", "a name cannot contain ${…}")
NESTING_TOO_DEEP = _error("TFJ0015", "nesting-too-deep", "brackets are nested more than {limit} deep here")
EXPRESSION_TOO_DEEP = _error(
    "TFJ0016", "expression-too-deep", "this expression is nested more than {limit} levels deep"
)
BACKQUOTES = _error("TFJ0019", "backquotes", 'a string needs double quotes, not backquotes: "…"')
HEREDOC = _error("TFJ0020", "heredoc", "a multi-line text goes between two \"\"\" or two ''' marks")
STRING_PREFIX = _error(
    "TFJ0021", "string-prefix", "a string cannot have the prefix {prefix}; ${{…}} works in every string"
)
ODD_NAME = _error("TFJ0022", "odd-name", "{found} is not a valid name: use the letters a to z, digits and _")
BARE_INTERPOLATION = _error("TFJ0023", "bare-interpolation", "outside a string, write {name} instead of {found}")
SHELL_EXPANSION = _error("TFJ0024", "shell-expansion", "{found} is a shell expansion, not an expression")
REORDERED_STRING = _error(
    "TFJ0025", "reordered-string", "this string contains {name}, which displays it in a different order than it is read"
)
REORDERED_COMMENT = Rule(
    "TFJ0026",
    "reordered-comment",
    "warning",
    "this comment contains {name}, which displays it in a different order than it is read",
)

# --- the order of tokens -----------------------------------------------------------------------------------------

UNEXPECTED = _error("TFJ0101", "unexpected-token", "expected {expected}, found {found}")
MISSING_EQUALS = _error("TFJ0102", "missing-equals", "missing = between {key} and its value")
COLON_FOR_EQUALS = _error("TFJ0103", "colon-for-equals", "a value is set with =, not with {found}")
DOUBLE_EQUALS = _error("TFJ0104", "double-equals", "a value is set with =; == compares two values")
SINGLE_EQUALS = _error("TFJ0105", "single-equals", "values are compared with ==; = sets a value")
MISSING_SEPARATOR = _error("TFJ0106", "missing-separator", "expected a comma or a new line before {found}")
MISSING_VALUE = _error("TFJ0107", "missing-value", "{key} has no value")
UNCLOSED_BLOCK = _error("TFJ0108", "unclosed-block", "this {opener} has no closing {closer}")
UNCLOSED_BRACKET = _error("TFJ0109", "unclosed-bracket", "this {opener} has no closing {closer}")
STRAY_BRACKET = _error("TFJ0110", "stray-bracket", "unmatched {found}")
WRONG_BRACKET = _error("TFJ0111", "wrong-bracket", "expected {closer}, found {found}")
MISSING_BLOCK = _error("TFJ0112", "missing-block", "expected a block {{ … }} after {what}")
BRACE_ON_NEXT_LINE = _error("TFJ0113", "brace-on-next-line", "the { must be on the same line as its statement")
BROKEN_LINE = _error("TFJ0114", "broken-line", "expected {expected}, found the end of the line")
YAML_LIST = _error("TFJ0115", "yaml-list", "a list is written in brackets: [a, b]")
YAML_MAP = _error("TFJ0116", "yaml-map", "indentation does not nest values; put those of {key} in braces: {{ … }}")
QUOTED_KEY = _error("TFJ0117", "quoted-key", "the name of an attribute is written without quotes")
WORD_OPERATOR = _error("TFJ0118", "word-operator", "the operator is {operator}, not {found}")
CHAINED_COMPARISON = _error("TFJ0119", "chained-comparison", "comparisons cannot be chained; join two with &&")
SPLIT_UNIT = _error("TFJ0120", "split-unit", "a unit follows its number without a space: {together}")
JOB_NAME = _error(
    "TFJ0121", "job-name-quotes", "a job name needs quotes unless it consists of letters, digits, _ and -"
)
MISSPELT_KEYWORD = _error("TFJ0122", "misspelt-keyword", "unknown word {found}; did you mean {keyword}?")
OUTSIDE_JOB = _error("TFJ0123", "outside-job", "{found} is outside any job")
REPEATED_WORD = _error("TFJ0124", "repeated-word", "{found} is repeated")
LEADING_DOT = _error("TFJ0125", "leading-dot", "a number must begin with a digit: {number}")
LATE_DELAY = _error("TFJ0127", "late-delay", "the delay goes before the arrow: after {delay} => {action}")
UNQUOTED_TEXT = _error("TFJ0126", "unquoted-text", 'text must be in quotes: "…"')
UNFINISHED = _error("TFJ0128", "unfinished-statement", "expected {expected} after {before}")
TARGET_VERSION = _error("TFJ0129", "target-version", "the version of target {target} is set inside its block")
TYPED_LET = _error("TFJ0130", "typed-let", "a let cannot have a type: let {name} = …")
TYPE_BRACKETS = _error("TFJ0131", "type-brackets", "this type is written {wanted}")
DECLARATION_INSIDE = _error("TFJ0132", "declaration-inside", "{word} belongs outside the job")
UNKNOWN_STATEMENT = _error("TFJ0133", "unknown-statement", "{found} is not a statement of this language")
UNQUOTED_KEY = _error("TFJ0134", "unquoted-key", 'this {what} needs quotes: "{key}"')
QUOTED_NAME = _error("TFJ0135", "quoted-name", "this name is written without quotes")
MANIFEST = _error("TFJ0136", "kubernetes-manifest", "this is a Kubernetes manifest, not the .tfjob language")
DOUBLED_BRACES = _error("TFJ0146", "doubled-braces", "an expression in a string is written with single braces")
CONDITION_PLACE = _error("TFJ0138", "condition-place", "the condition goes {where}")
CONDITION_WORD = _error("TFJ0139", "condition-word", "a condition begins with when, not with {found}")
NO_CONDITION = _error("TFJ0140", "no-condition", "{what} cannot have a condition")
UNSET_FORM = _error("TFJ0141", "unset-form", "this is written {wanted}")
UNSET_EXTRA = _error("TFJ0142", "unset-extra", "unset cannot have {what}")
UNSET_KIND = _error("TFJ0143", "unset-kind", "unset cannot remove {what}")
BLOCK_FORM = _error("TFJ0144", "block-form", "{word} is a block: {form}")
NOT_A_VALUE = _error("TFJ0145", "not-a-value", "each line of a file of values is NAME = VALUE")
YAML_SEPARATOR = _error("TFJ0137", "yaml-separator", "the jobs of a file are not separated by ---")
STATEMENT_FORM = _error("TFJ0148", "statement-form", "{found} is not part of a {word} statement")
FOREIGN_EXPRESSION = _error("TFJ0147", "foreign-expression", "{what} is not an expression of this language")
