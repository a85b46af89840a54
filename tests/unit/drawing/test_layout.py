"""Where things are in a picture, whatever is in it: nothing overlaps, links end at boxes, the same gives the same."""

from __future__ import annotations

from itertools import combinations, pairwise
from time import process_time

import pytest
from hypothesis import given, settings, strategies as st

from tests.unit.drawing.jobs import picture_of, picture_of_example
from tfdsl.drawing.layout import Layout, layout
from tfdsl.drawing.picture import FRAME, Box, BoxKind, Direction, Line, Link, LinkKind, Picture
from tfdsl.drawing.sizes import STACK, label_size, shortened, width
from tfdsl.record import replace

STORED: tuple[LinkKind, ...] = ("mount", "output", "variables", "logs")
NAMES = st.text(min_size=1, max_size=80)
LINES = st.builds(Line, st.sampled_from(("fact", "object", "step", "space", "policy", "item")), NAMES)


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Any picture: more roles and stores than a job can have, linked as they can be."""
    boxes: list[Box] = []
    kinds: dict[BoxKind, int] = {"role": 30, "store": 12, "object": 12}
    for kind, most in kinds.items():
        for number in range(draw(st.integers(1 if kind == "role" else 0, most))):
            lines = tuple(draw(st.lists(LINES, max_size=3)))
            what = draw(st.sampled_from(("", "Secret", "existing claim"))) if kind == "store" else kind
            boxes.append(Box(f"{kind}-{number}", kind, draw(NAMES), what, draw(st.integers(1, 4000)), lines))
    roles = [one.id for one in boxes if one.kind == "role"]
    links: list[Link] = []
    for one, other in draw(st.lists(st.tuples(st.sampled_from(roles), st.sampled_from(roles)), max_size=20)):
        kind = draw(st.sampled_from(("peers", "after")))
        links += [Link(one, other, kind, draw(NAMES))] if one != other else []
    for one in boxes:
        if one.kind == "object":
            links.append(Link(one.id, FRAME, "object"))
        elif one.kind == "store":
            users = draw(st.lists(st.sampled_from([*roles, FRAME]), max_size=4, unique=True))
            kind, label = draw(st.sampled_from(STORED)), draw(st.sampled_from(["", "a\nb"]))
            links += [Link(user, one.id, kind, label) for user in users]
    return Picture("mnist", "", tuple(draw(st.lists(LINES, max_size=4))), tuple(boxes), tuple(links))


def check(picture: Picture, direction: Direction = "down") -> Layout:
    """Judge a layout; one whose links go to the right is judged with x and y exchanged."""
    made = layout(picture, direction)
    result = made

    def turned(one: float, other: float) -> tuple[float, float]:
        return (one, other) if direction == "down" else (other, one)

    places = {
        one.sized.box.id: (*turned(one.x, one.y), *turned(one.sized.width, one.sized.height)) for one in made.boxes
    }
    if direction == "right":
        made = _turned(made)
    assert set(places) == {one.id for one in picture.boxes}
    for (x, y, wide, high), (x2, y2, wide2, high2) in combinations(places.values(), 2):
        assert x + wide <= x2 or x2 + wide2 <= x or y + high <= y2 or y2 + high2 <= y, "two boxes overlap"
    frame = (made.frame.x, made.frame.y, made.frame.width, made.frame.height)
    places[FRAME] = frame
    for one in made.boxes:
        x, y, wide, high = places[one.sized.box.id]
        inside = frame[0] < x < x + wide < frame[0] + frame[2] and frame[1] < y < y + high < frame[1] + frame[3]
        outside = y + high <= frame[1] or frame[1] + frame[3] <= y
        assert inside if one.sized.box.kind == "role" else outside
        assert min(x, y) >= 0
        assert x + wide <= made.width
        assert y + high <= made.height
    for drawn in made.links:
        ends = (drawn.link.source, drawn.link.target)
        upper, lower = ends if drawn.forwards else ends[::-1]
        x, y = drawn.route[0]
        assert _on_edge(places[upper], x, y, upper=upper == FRAME and drawn.route[-1][1] <= frame[1])
        x, y = drawn.route[-1]
        assert _on_edge(places[lower], x, y, upper=True)
        heights = [y for _, y in drawn.route]
        assert heights == sorted(heights)
        _passes_no_box(drawn.route, [place for name, place in places.items() if name not in (*ends, FRAME)])
    sizes = [turned(*label_size(drawn.label.texts)) for drawn in made.links if drawn.label is not None]
    _labels_are_readable(made, sizes, [place for name, place in places.items() if name != FRAME])
    return result


def _turned(made: Layout) -> Layout:
    frame = made.frame
    labels = (one.label and replace(one.label, x=one.label.y, y=one.label.x) for one in made.links)
    return replace(
        made,
        width=made.height,
        height=made.width,
        frame=replace(frame, x=frame.y, y=frame.x, width=frame.height, height=frame.width),
        boxes=tuple(replace(one, x=one.y, y=one.x) for one in made.boxes),
        links=tuple(
            replace(one, route=tuple((y, x) for x, y in one.route), label=label)
            for one, label in zip(made.links, labels, strict=True)
        ),
    )


def _labels_are_readable(
    made: Layout, sizes: list[tuple[float, float]], boxes: list[tuple[float, float, float, float]]
) -> None:
    """Each is beside its link, and neither a box, nor another label, nor a link is behind it."""
    labels: list[tuple[float, float, float, float]] = []
    labelled = [drawn for drawn in made.links if drawn.label is not None]
    for drawn, (wide, high) in zip(labelled, sizes, strict=True):
        assert drawn.label is not None
        assert any(x == pytest.approx(drawn.label.x) for x, _ in drawn.route)
        labels.append((drawn.label.x, drawn.label.y, wide, high))
    for at, (x, y, wide, high) in enumerate(labels):
        assert 0 <= x < x + wide <= made.width
        for x2, y2, wide2, high2 in (*boxes, *labels[at + 1 :]):
            assert x + wide <= x2 or x2 + wide2 <= x or y + high <= y2 or y2 + high2 <= y, "something is behind a label"
        for drawn in made.links:
            _passes_no_box(drawn.route, [(x + 1, y, wide, high)])


def _on_edge(place: tuple[float, float, float, float], x: float, y: float, *, upper: bool) -> bool:
    left, top, wide, high = place
    return left <= x <= left + wide and y == pytest.approx(top if upper else top + high)


def _passes_no_box(route: tuple[tuple[float, float], ...], places: list[tuple[float, float, float, float]]) -> None:
    """The straight pieces are between boxes; the curved ones are in the room between rows."""
    for (x, y), (x2, y2) in pairwise(route):
        for left, top, wide, high in places:
            crosses_row = y < top + high - 0.01 and y2 > top + 0.01
            assert not crosses_row or max(x, x2) < left or min(x, x2) > left + wide, "a link is behind a box"


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(pictures(), st.sampled_from(("down", "right")))
def test_any_picture_is_readable(picture: Picture, direction: Direction) -> None:
    made = check(picture, direction)
    assert layout(picture, direction) == made


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("name", ["mnist", "multi-worker", "evaluator", "sweep"])
def test_the_texts_of_examples_are_in_their_boxes(name: str, direction: Direction) -> None:
    made = check(picture_of_example(name), direction)
    (wide, high), frame = (made.frame.width, made.frame.height), made.frame
    assert all(text.x + text.room < wide and text.y < high for text in frame.texts)
    for placed in made.boxes:
        card = placed.sized.width - placed.sized.pile * STACK
        assert all(text.x + text.room < card for text in placed.sized.texts)
    assert (made.width > made.height) == (direction == "right")


def test_a_large_job_costs_little() -> None:
    roles = ("chief", "worker", "ps", "evaluator")
    own = {role: "".join(f'mount pvc "{role}-{n}" at "/{role}{n}"\n' for n in range(300)) for role in roles}
    mounts = "".join(f"role {role} {{\n{text}}}\n" for role, text in own.items())
    picture = picture_of(mounts)
    begin = process_time()
    made = check(picture)
    assert process_time() - begin < 2
    assert made.width < 3000


def test_worker_is_between_chief_and_ps_and_who_waits_is_above() -> None:
    made = layout(
        picture_of(
            'role chief { }\nrole worker { after = ["ps"] }\nrole ps { after = ["evaluator"] }\nrole evaluator { }'
        )
    )
    tops = {one.sized.box.name: one.y for one in made.boxes}
    assert tops["chief"] < tops["worker"] < tops["ps"] < tops["evaluator"]


@pytest.mark.parametrize(
    ("text", "least", "most"), [("", 0, 0), ("iiii", 8, 16), ("WWWW", 40, 50), ("日本", 20, 30), ("e\u0301", 5, 9)]
)
def test_widths(text: str, least: float, most: float) -> None:
    assert least <= width(text, 12) <= most


@given(st.text(max_size=200), st.floats(20, 300))
def test_a_shortened_text_fits(text: str, room: float) -> None:
    short = shortened(text, 12, room)
    assert width(short, 12) <= max(room, width("…", 12)) + 0.01
    assert short == text or "…" in short
