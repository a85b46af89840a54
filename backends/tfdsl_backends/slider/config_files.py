"""The option ``config_files``: files that Slider's application master writes from dictionaries of appConfig.json.

A file has a dictionary (``site.NAME.KEY``), a component asks for the files (``am.config.generation``), and the
containers find them in ``app/conf``. Source: AgentProviderService and PublishedConfigurationOutputter of 0.92, as they
were seen to read and write; 0.91 leaves such files to the agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.backend import OptionValue, Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.xml import refused as not_in_xml
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl_backends.slider import messages
from tfdsl_backends.slider.options import features

if TYPE_CHECKING:
    import re

OPTION: Final = "config_files"
FORMATS: Final = {
    ".json": "json",
    ".properties": "properties",
    ".xml": "hadoop-xml",
    ".yaml": "yaml",
    ".yml": "yaml",
}
"""Ending of a file's name → Slider's name of the format (``ConfigFormat``)."""

_NAME: Final = regex(r"([A-Za-z0-9_-]+)(\.[a-z]+)\Z")
"""Without a further dot: the keys of a dictionary ``a`` are ``site.a.…``, which those of ``a.b`` would be, too."""

_NOT_IN_YAML: Final = regex("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd]")
"""Characters for which Slider's YAML writer makes ``!!binary`` of the whole text."""


class ConfigFile(Record):
    """One file: its ``name``, the name of its ``dictionary``, its ``format`` and its entries."""

    name: str
    dictionary: str
    format: str
    entries: Mapping[str, str]


def config_files(unit: Unit) -> list[ConfigFile]:
    """The files whose names say what they are, in the order of the source."""
    files: list[ConfigFile] = []
    for name, entries in unit.entries(OPTION).items():
        match = _NAME.match(name)
        if match and match[2] in FORMATS and isinstance(entries, Mapping):
            texts = {key: _text(value) for key, value in entries.items()}
            files.append(ConfigFile(name, match[1], FORMATS[match[2]], texts))
    return files


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_config_files(unit: Unit, taken: re.Pattern[str], used: set[str]) -> Iterator[Diagnostic]:
    """Names, and texts that Slider or a format would change; ``used`` are the names in the work folder."""
    given = unit.entries(OPTION)
    if given and not features(unit.version).config_files:
        yield messages.CONFIG_VERSION(unit.option_place(OPTION), version=unit.shown_version).help(
            'write version = "0.92", or send the file with files'
        )
        return
    known = {config_file.name: config_file for config_file in config_files(unit)}
    dictionaries = {"global": ""}
    for name in given:
        place = unit.option_place(f"{OPTION}[{name}].key")
        file = known.get(name)
        if file is None:
            yield messages.CONFIG_NAME(place, name=name).help(f"end it in {', '.join(FORMATS)}")
            continue
        if taken.match(name) or name in used:
            yield messages.SHARED.same_file(place, name=name, other="a file or mount of the job").help("rename it")
        other = dictionaries.setdefault(file.dictionary, name)
        if other != name:
            whose = f"of {other}" if other else "that Slider passes to every script"
            yield messages.CONFIG_DICTIONARY(place, name=name, dictionary=file.dictionary, whose=whose).help(
                "rename it"
            )
        yield from _texts(unit, file)


def _texts(unit: Unit, file: ConfigFile) -> Iterator[Diagnostic]:
    for key, value in file.entries.items():
        for text, place in ((key, f"{OPTION}[{file.name}][{key}].key"), (value, f"{OPTION}[{file.name}][{key}]")):
            problem = _problem(file, text)
            if problem:
                yield messages.CONFIG_TEXT(unit.option_place(place), name=file.name, problem=problem)


def _problem(file: ConfigFile, text: str) -> str:
    if "${" in text:
        return "Slider replaces ${…} and has no escape for it"
    if file.format == "hadoop-xml" and not_in_xml(text) is not None:
        return "XML cannot contain one of its characters"
    if file.format == "yaml" and _NOT_IN_YAML.search(text):
        return "Slider writes it as !!binary, because of a character outside of the basic plane or a control character"
    return ""
