"""The options of the volcano target."""

from tfdsl.backend import Option
from tfdsl.vocabulary.names import LABEL_FORM, label
from tfdsl.vocabulary.types import STRINGS, IntType, MapType, StringType, one_of
from tfdsl_backends.podspec.options import POD_OPTIONS

TASK_NAME = label()
"""The name of a task, as the CRD has it."""

TF_CONFIG = Option(
    "tf_config",
    one_of("plugin", "static", "shell"),
    "Who sets TF_CONFIG: Volcano's tensorflow plugin; an env entry that the compiler writes; or a shell script that "
    "reads the files of the svc plugin in /etc/volcano when the container starts. By default the plugin if its value "
    "equals the language's except for `environment`, otherwise static.",
)

PLUGINS = Option(
    "plugins",
    MapType(STRINGS),
    'The plugins of the job with their arguments, e.g. `{ ssh = [], svc = ["--publish-not-ready-addresses=true"] }`, '
    "instead of env and svc as the compiler writes them; `{}` for none. tensorflow is added where it sets TF_CONFIG. "
    'Unless `cluster { discovery = "none" }`, svc must be one of them.',
)

POLICIES = Option(
    "policies",
    one_of("all", "written"),
    "`written`: only the policies of the file are written, each as the one event of Volcano that it names. By default, "
    "the compiler adds those of the language: when the job is complete, that a failure ends it, the exit statuses of "
    "evicted pods, and what happens when restarts in place are used up or their pod is lost.",
    "all",
)

RESTART_POLICY = Option(
    "restart_policy",
    one_of("Never", "OnFailure", "Always"),
    "restartPolicy of the pods, tensorboard's excepted, whatever the policies say. With OnFailure and Always the "
    "kubelet restarts a container by itself: policies for failed act only on lost pods then, and those for exit "
    "statuses never. By default OnFailure for `failed => restart container`, otherwise Never.",
)

GANG_SIZE = Option(
    "gang_size",
    IntType(1, 2**31 - 1),
    "How many pods must be placeable before any of them starts (spec.minAvailable). By default the sum of "
    "`min_available` of the roles that start at once. Below that sum, Volcano counts pods of any role.",
)

TASK_NAMES = Option(
    "task_names",
    MapType(StringType(pattern=TASK_NAME, form=LABEL_FORM), roles=True),
    "Role → the name of its task, where it is not that of the role. The names of pods and hosts follow from it.",
    {},
)

AFTER_ANY = Option(
    "after_any",
    STRINGS,
    "Roles that start when one of the roles in their `after` is running (`iteration: any`). By default, all of them "
    "must be running.",
    (),
)

OPTIONS = (TF_CONFIG, PLUGINS, POLICIES, RESTART_POLICY, GANG_SIZE, TASK_NAMES, AFTER_ANY, *POD_OPTIONS)
