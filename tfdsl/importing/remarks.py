"""Comments of a manifest move to the statements that were read from the lines they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.draft import Draft, Statement, Step
from tfdsl.emit.header import stated
from tfdsl.patterns import regex

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Comment
    from tfdsl.text import Source


# A key whose value begins on the next line, or the name of an item whose value is there.
_BEGINS: Final = regex(r":\s*(?:[|>&!]\S*\s*)?$|^\s*-\s+(?:name|key)\s*:")


def remarks(drafts: Sequence[Draft], comments: Mapping[Source, Sequence[Comment]]) -> dict[int, list[str]]:
    """The comments above each statement, by its ``id``.

    A comment alone on its line belongs to what the next line begins, another one to what is on its own line. What
    belongs to nothing that is kept is dropped.
    """
    found: dict[int, list[str]] = {}
    for source, those in comments.items():
        by_line = _by_line(drafts, source)
        for line, text in _with_lines(source, those):
            if line > len(source.line_starts):  # a comment in the last line
                continue
            statement = by_line.get(line)
            if statement is None and _BEGINS.search(source.line(line).partition("#")[0]):
                statement = by_line.get(line + 1)
            if statement is not None:
                found.setdefault(id(statement), []).append(text)
    return found


def opening(source: Source, comments: Sequence[Comment]) -> list[str]:
    """The comments before everything else. The header of a generated file is no remark of an author."""
    return [one.text for one in _before_all(source, comments) if stated(one.text) is None]


def _before_all(source: Source, comments: Sequence[Comment]) -> list[Comment]:
    found: list[Comment] = []
    end = 0
    for comment in comments:
        if source.text[end : comment.span.start].strip("- \t\r\n"):
            break
        found.append(comment)
        end = comment.span.end
    return found


def _with_lines(source: Source, comments: Sequence[Comment]) -> Iterator[tuple[int, str]]:
    """Each comment with the line that it is about; those of the head of the file are left out."""
    waiting: list[str] = []
    skipped = len(_before_all(source, comments))
    following = [source.position(comment.span.start)[0] for comment in comments]
    for number, comment in enumerate(comments):
        if number < skipped:
            continue
        line = following[number]
        if not comment.alone:
            yield line, comment.text
            continue
        waiting += [comment.text] if stated(comment.text) is None else []  # the header of a file that was joined
        if number + 1 < len(comments) and comments[number + 1].alone and following[number + 1] == line + 1:
            continue
        for text in waiting:
            yield line + 1, text
        waiting = []


def _by_line(drafts: Iterable[Draft], source: Source) -> dict[int, Statement]:
    """The statement that was read from what begins each line; of several the one that was read from the least."""
    found: dict[int, tuple[int, Statement]] = {}
    for draft in drafts:
        for block in (draft.job, *draft.roles.values(), draft.options, *draft.role_options.values()):
            for one in block.statements:
                for part in (one, *(one.statements if isinstance(one, Step) else ())):
                    if part.span is None or part.span.source is not source:
                        continue
                    line, size = source.position(part.span.start)[0], part.span.end - part.span.start
                    if line not in found or size < found[line][0]:
                        found[line] = (size, one)
    return {line: one for line, (_, one) in found.items()}
