"""The options of the volcano target."""

from __future__ import annotations

from tfdsl.backend import Option
from tfdsl.vocabulary.types import one_of
from tfdsl_backends.podspec.options import POD_OPTIONS

TF_CONFIG = Option(
    "tf_config",
    one_of("plugin", "static", "shell"),
    "Who sets TF_CONFIG: Volcano's tensorflow plugin; an env entry that the compiler writes; or a shell script that "
    "reads the files of the svc plugin in /etc/volcano when the container starts. By default the plugin if its value "
    "equals the language's except for `environment`, otherwise static.",
)

OPTIONS = (TF_CONFIG, *POD_OPTIONS)
