"""TFJ1xxx: names, scopes and types."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule


def _error(code: str, slug: str, message: str) -> Rule:
    return Rule(code, slug, "error", message)


EDITION_UNKNOWN = _error("TFJ1001", "unknown-edition", "edition {number} is not supported: this tfdsl knows edition 1")
INCLUDE_ABSOLUTE = _error(
    "TFJ1002", "include-absolute", "the path of an include must be relative to the file that includes it"
)
INCLUDE_MISSING = _error("TFJ1003", "include-missing", "cannot read {path}: {reason}")
INCLUDE_CYCLE = _error("TFJ1004", "include-cycle", "the includes form a cycle: {files}")
EDITION_NOT_FIRST = _error("TFJ1005", "edition-not-first", "edition must be the first line of the file")
INCLUDE_NO_FOLDER = _error("TFJ1006", "include-without-folder", "text from standard input cannot include files")

DUPLICATE_NAME = _error("TFJ1101", "duplicate-name", "{kind} {name} is declared twice")
RESERVED_NAME = _error("TFJ1102", "reserved-name", "{name} is a reserved word and cannot name a {kind}")
DUPLICATE_JOB = _error("TFJ1103", "duplicate-job", "two jobs are called {name}")
NO_JOB = _error("TFJ1104", "no-job", "the file has no job")
UNKNOWN_JOB = _error("TFJ1105", "unknown-job", "the file has no job called {name}")
ABSENT_JOBS = _error("TFJ1107", "absent-jobs", "{what} absent: {conditions}")
NAME_FOR_SEVERAL = _error("TFJ1106", "name-for-several-jobs", "{count} jobs cannot all be called {name}")
UNKNOWN_FLOW = _error("TFJ1108", "unknown-flow", "the file has no flow called {name}")
ABSENT_FLOW = _error("TFJ1109", "absent-flow", "all jobs of flow {flow} are absent")

UNKNOWN_NAME = _error("TFJ1201", "unknown-name", "{name} is not defined")
UNKNOWN_MEMBER = _error("TFJ1202", "unknown-member", "{base} has no {name}")
UNKNOWN_FUNCTION = _error("TFJ1203", "unknown-function", "there is no function {name}")
ARGUMENT_COUNT = _error("TFJ1204", "argument-count", "{name} takes {expected}, not {given}")
NAME_CYCLE = _error("TFJ1205", "name-cycle", "{name} is defined in terms of itself")
RUN_TIME_ALONE = _error("TFJ1206", "run-time-alone", "{name} is known only at run time: it must be alone inside ${{ }}")
RUN_TIME_HERE = _error("TFJ1207", "run-time-here", "{name} is known only at run time and cannot be used here")
NOT_IN_JOB = _error("TFJ1208", "job-value-outside", "{name} exists only inside a job")
NOT_IN_ROLE = _error("TFJ1209", "role-value-outside", "{name} exists only inside a role")
FLOW_RUN_HERE = _error("TFJ1217", "flow-run-here", "flow.run has no value: job {job} {why}")
JOB_USER_HERE = _error("TFJ1210", "job-user-here", "job.user is known on {targets} only")
CONDITION_NAME = _error("TFJ1216", "condition-name", "{name} cannot be used in a condition")
NO_MATRIX = _error("TFJ1215", "no-matrix", "{name} {problem}")

WRONG_TYPE = _error("TFJ1301", "wrong-type", "{what} must be {expected}, not {given}")
OPERAND_TYPES = _error("TFJ1302", "operand-types", "{op} cannot be applied to {left} and {right}")
BRANCH_TYPES = _error("TFJ1303", "branch-types", "the branches of ?: have different types: {left} and {right}")
CONDITION_TYPE = _error("TFJ1304", "condition-type", "{what} must be true or false, not {given}")
NOT_IN_TEXT = _error("TFJ1305", "not-in-text", "{given} cannot be part of a text")
ARGUMENT_TYPE = _error("TFJ1306", "argument-type", "{name} expects {expected} here, not {given}")
BAD_UNIT = _error("TFJ1307", "bad-unit", "{text} is not a quantity or a duration")
NOT_INDEXABLE = _error("TFJ1308", "not-indexable", "{given} cannot be indexed")
INDEX_TYPE = _error("TFJ1309", "index-type", "an index into {base} must be {expected}, not {given}")

UNKNOWN_TYPE = _error("TFJ1401", "unknown-type", "there is no type {name}")
TYPE_ARGUMENT = _error("TFJ1402", "type-argument", "{name} {problem}")
UNKNOWN_SETTING = _error("TFJ1403", "unknown-setting", "{where} has no setting {name}")
UNKNOWN_PARAM = _error("TFJ1404", "unknown-param", "there is no param {name}")
MISSING_PARAM = _error("TFJ1405", "missing-param", "param {name} has no value and no default")
UNKNOWN_PROFILE = _error("TFJ1406", "unknown-profile", "there is no profile {name}")
DUPLICATE_KEY = _error("TFJ1407", "duplicate-key", "{name} is set twice")
SETTING_HERE = _error("TFJ1408", "setting-type", "{name} cannot be used with type {type}")

UNKNOWN_ATTRIBUTE = _error("TFJ1501", "unknown-attribute", "a {where} has no {what} {name}")
MISPLACED_ATTRIBUTE = _error("TFJ1502", "misplaced-attribute", "{name} cannot be set in a {where}")
UNKNOWN_ROLE = _error("TFJ1503", "unknown-role", "there is no role {name}")
UNKNOWN_TEMPLATE = _error("TFJ1504", "unknown-template", "there is no template {name}")
TEMPLATE_CYCLE = _error("TFJ1505", "template-cycle", "template {name} uses itself")
MISPLACED_ITEM = _error("TFJ1506", "misplaced-item", "{item} is not allowed in a {where}")
DUPLICATE_BLOCK = _error("TFJ1507", "duplicate-block", "{name} appears twice in one {where}")
DUPLICATE_USE = _error("TFJ1508", "duplicate-use", "template {name} is used twice in one block")
UNKNOWN_MOUNT_KIND = _error("TFJ1509", "unknown-mount-kind", "there is no mount kind {name}")
UNKNOWN_OPTION = _error("TFJ1510", "unknown-option", "{where} has no option {name}")
UNKNOWN_EVENT = _error("TFJ1511", "unknown-event", "there is no event {name}")
UNKNOWN_ACTION = _error("TFJ1512", "unknown-action", "there is no action {name}")
UNKNOWN_TARGET = _error("TFJ1513", "unknown-target", "there is no target {name}")
UNKNOWN_VERSION = _error("TFJ1514", "unknown-version", "{target} {version} is not a known version")
UNKNOWN_WHEN = _error(
    "TFJ1515", "unknown-output-condition", "an output is copied on success, failure or always, not on {name}"
)
ROLE_NOT_IN_JOB = _error("TFJ1516", "role-not-in-job", "job {job} has no role {name}")
UNSET_IN_BLOCK = _error("TFJ1518", "unset-in-block", "{what} is {how} in one block")
NOTHING_TO_UNSET = _error("TFJ1519", "nothing-to-unset", "there is no {what} to unset")
UNSET_ENTRY = _error("TFJ1520", "unset-entry", "{name} is not a map: it has no entries")
UNKNOWN_ENDING = _error(
    "TFJ1521", "unknown-ending", "a job runs after others that have succeeded, failed or ended, not {name}"
)
NO_FLOWS = _error("TFJ1522", "target-without-flows", "{target} has no flows")
BAD_PATCH_PATH = _error("TFJ1517", "bad-patch-path", "{problem}")
