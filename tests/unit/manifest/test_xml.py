"""XML as nodes: places, the form of elements and attributes, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.manifest.nodes import Scalar, plain, view, walk
from tfdsl.manifest.xml import read_xml
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.manifest.nodes import Document


def read(text: str) -> tuple[Document | None, list[Diagnostic]]:
    diagnostics: list[Diagnostic] = []
    return read_xml(Source("file.xml", text), diagnostics.append), diagnostics


def node_of(text: str) -> Document:
    document, diagnostics = read(text)
    assert document is not None, diagnostics
    return document


def problem(text: str) -> tuple[str, str]:
    document, (one,) = read(text)
    assert document is None
    assert one.rule.slug == "import-bad-xml"
    return one.message, one.span.text


def test_elements_are_maps_and_repeated_ones_lists() -> None:
    text = "<a><b>1</b><c x='2'/><b> two </b><d>t<e/></d></a>"
    assert plain(node_of(text).node) == {"a": {"b": ["1", "two"], "c": {"@x": "2"}, "d": {"#text": "t", "e": ""}}}


def test_every_text_has_its_place() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<ä>\n  <b x="ü&gt;">\n é <c>日本</c></b>\n</ä>'
    places = {path: one.span.text for path, one in walk(node_of(text).node) if isinstance(one, Scalar)}
    assert places == {("ä", "b", "@x"): "ü&gt;", ("ä", "b", "#text"): "é <c>日本</c>", ("ä", "b", "c"): "日本"}
    assert view(node_of(text).node)["ä"].key("b").text == "b"


def test_entities_of_xml_and_cdata_are_text() -> None:
    assert plain(node_of("<a>&lt;&#65;<![CDATA[ <x>&y; ]]></a>").node) == {"a": "<A <x>&y;"}


def test_comments_are_kept() -> None:
    comments = node_of("<a> <!-- alone -->\n<b>1</b> <!-- beside --></a>").comments
    assert [(one.text, one.alone, one.span.text) for one in comments] == [
        ("alone", False, "<!-- alone -->"),
        ("beside", False, "<!-- beside -->"),
    ]
    assert [one.alone for one in node_of("<a>\n  <!-- x -->\n</a>").comments] == [True]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "no element found", ""),
        ("<a><b></a>", "mismatched tag", "a"),
        ("<a>&x;</a>", "undefined entity", "&"),
        ("<a>\0</a>", "not well-formed (invalid token)", "\0"),
        ("<a>\ud800</a>", "not well-formed (invalid token)", "\ud800"),
        ("<a x='1' x='2'/>", "duplicate attribute", "x"),
        ("<a/><b/>", "junk after document element", "<"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "it declares the entity x", "<!ENTITY"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "it declares the entity x", "<!ENTITY"),
        ('<!DOCTYPE a [<!ENTITY % x SYSTEM "http://h/x"> %x;]><a/>', "it declares the entity x", "<!ENTITY"),
        (
            '<!DOCTYPE a SYSTEM "http://h/a.dtd"><a>&x;</a>',
            "only its DTD, which is not read, could say what &x; is",
            "&x;",
        ),
        ("<a>" * 101, "more than 100 elements are inside each other", "<a"),
    ],
)
def test_refused(text: str, message: str, place: str) -> None:
    assert problem(text) == (f"this XML cannot be read: {message}", place)


def test_entities_that_grow_are_refused_before_they_do() -> None:
    lines = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 100}">' for n in range(20))
    assert problem(f"<!DOCTYPE a [{lines}]><a>&e19;</a>")[1] == "<!ENTITY"


def test_a_dtd_is_not_read() -> None:
    assert plain(node_of('<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a>1</a>').node) == {"a": "1"}
