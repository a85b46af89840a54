"""The XML writer against expat."""

from __future__ import annotations

import xml.etree.ElementTree as Tree

import pytest
from hypothesis import given, strategies as st

from tfdsl.emit import xml
from tfdsl.emit.located import Located


@given(st.text())
def test_text_comes_through_or_is_refused(text: str) -> None:
    offset = xml.refused(text)
    if offset is not None:
        with pytest.raises(ValueError, match="cannot hold"):
            xml.write({"a": text})
        assert xml.refused(text[:offset]) is None
        return
    written = xml.write({"a": {"b": text, "c": [text, text]}})
    root = Tree.fromstring(written.text.encode())
    assert [child.text or "" for child in root] == [text] * 3
    assert written.text.count("\n") == len(written.lines)


@pytest.mark.parametrize("text", ["\x00", "\x08", "\x0b", "\x1b[0m", "\x1f", "\ufffe", "\uffff", "\ud800", "a\x01"])
def test_characters_xml_does_not_have(text: str) -> None:
    assert xml.refused(text) == len(text.partition(text.strip("a[0m"))[0])


@pytest.mark.parametrize("text", ["]]>", "<!--", "&amp;", "\r\n", "\t", "é", "😀", "<a/>", "'\"", "\x7f", "\x85"])
def test_markup_in_text_is_text(text: str) -> None:
    assert xml.refused(text) is None
    assert Tree.fromstring(xml.write({"a": text}).text.encode()).text == text


def test_layout_and_places() -> None:
    application = {
        "name": Located("tensorflow", "name"),
        "comment": "a\nb",
        "components": {"component": [Located({"name": "ps", "minInstanceCount": 1}, "roles[ps]"), {"name": "worker"}]},
        "auto": True,
        "gone": None,
        "empty": {"gone": None},
    }
    written = xml.write({"metainfo": {"schemaVersion": "2.0", "application": application}})
    assert list(zip(written.text.splitlines(), written.lines, strict=True)) == [
        ('<?xml version="1.0" encoding="UTF-8"?>', None),
        ("<metainfo>", None),
        ("  <schemaVersion>2.0</schemaVersion>", None),
        ("  <application>", None),
        ("    <name>tensorflow</name>", "name"),
        ("    <comment>a", None),
        ("b</comment>", None),
        ("    <components>", None),
        ("      <component>", "roles[ps]"),
        ("        <name>ps</name>", "roles[ps]"),
        ("        <minInstanceCount>1</minInstanceCount>", "roles[ps]"),
        ("      </component>", "roles[ps]"),
        ("      <component>", None),
        ("        <name>worker</name>", None),
        ("      </component>", None),
        ("    </components>", None),
        ("    <auto>true</auto>", None),
        ("    <empty/>", None),
        ("  </application>", None),
        ("</metainfo>", None),
    ]


@pytest.mark.parametrize(
    "data", [{}, {"a": 1, "b": 2}, [], "a", {"a": ["b", "c"]}, {"a b": "c"}, {"1a": "c"}, {"": "c"}]
)
def test_what_is_no_document(data: object) -> None:
    with pytest.raises(ValueError):
        xml.write(data)
