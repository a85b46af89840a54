"""The part of Slider's agent library that the scripts of a package call."""

from typing import Any

class Script:
    @staticmethod
    def get_config() -> dict[str, Any]: ...
    def install_packages(self, env: Any) -> None: ...
    def execute(self) -> None: ...

class ComponentIsNotRunning(Exception): ...  # noqa: N818  (Slider named it)
