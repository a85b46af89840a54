"""Random valid programs, written as untidily as the language allows: every construct, comments everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

NAMES = ("a", "x1", "workers", "gpu_node", "role", "at", "on", "job", "true_", "exit", "long_attribute_name", "when")
NAMES += ("matrix", "unset", "prepare", "sidecar", "pod", "unchecked")
COMMENTS = ("# note", "#", "# a { b [ c", '# "quoted', "#é 😀", "# tfdsl: allow[x] y")
QUOTED_JOBS = ('"a job"', '"train-${matrix.a}"')
PIECES = ("abc", " ", "é😀", "$", "$$", "#", "'", r"\n", r"\"", r"\\", r"\$", r"\u{1F600}", "{", "}", "//", "%")


class Writer:
    """Writes one program; every choice comes from ``chance``."""

    def __init__(self, chance: random.Random, line_end: str = "\n") -> None:
        self.chance = chance
        self.line_end = line_end

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def maybe(self, text: str, odds: float = 0.5) -> str:
        return text if self.chance.random() < odds else ""

    def many(self, most: int) -> range:
        return range(self.chance.randint(0, most))

    # --- white space ---

    def blank(self) -> str:
        return self.pick("", " ", "  ", "\t")

    def gap(self) -> str:
        """One or more line ends, perhaps with comments."""
        text = ""
        for _ in range(self.chance.choice((1, 1, 1, 2, 3))):
            text += self.blank() + self.maybe(self.pick(*COMMENTS), 0.3) + self.line_end
        return text + self.pick("", "  ", "    ", "\t")

    def maybe_gap(self) -> str:
        return self.gap() if self.chance.random() < 0.15 else self.blank()

    def separated(self, items: list[str], opening: str, closing: str) -> str:
        """Items between brackets, separated by commas and line ends in all ways that are allowed."""
        if not items:
            return opening + self.maybe_gap() + closing
        text = opening + self.maybe_gap() + items[0]
        for item in items[1:]:
            text += self.pick(",", ", ", " , ", "," + self.gap(), self.gap()) + item
        return text + self.pick("", " ", ",", ", ", "," + self.gap(), self.gap()) + closing

    # --- expressions ---

    def name(self) -> str:
        return self.pick(*NAMES)

    def string(self, depth: int = 1) -> str:
        text = ""
        for _ in self.many(4):
            if depth > 0 and self.chance.random() < 0.25:
                text += "${" + self.simple(0) + "}"
            else:
                piece = self.pick(*PIECES)
                text += piece if not (text.endswith("$") and piece.startswith("{")) else " "
        return f'"{text}"'

    def block_text(self) -> str:
        mark = self.pick('"""', "'''")
        indent = self.pick("", "  ", "      ", "\t")
        lines = [self.line(mark, indent) for _ in self.many(4)]
        end = indent + (self.maybe("end", 0.2)) + mark
        return self.line_end.join([mark + self.blank(), *lines, end])

    def line(self, mark: str, indent: str) -> str:
        text = self.pick("", "set -e", "  deeper", 'echo "$@"', "trailing  ", "# no comment", "é😀 {{ x }}", "$(VAR)")
        if mark == '"""' and text:
            text += self.pick("", "", r"\n", "${a + 1}", "\\")
        return indent + text if text else self.pick("", indent, indent + "  ")

    def simple(self, depth: int) -> str:
        text = self.pick(
            "a", "job.name", "7", "1.5", "16Gi", "1h30m", "true", "false", "x1", "1e5", "2.5E-4", "matrix.a"
        )
        return text if depth else self.pick(text, "min(a, 2)", 'm["k"]', "a[0]", "1 + 2")

    def expression(self, depth: int = 3) -> str:
        if depth == 0:
            return self.pick(self.simple(1), self.string())
        sub = self.expression
        kind = self.chance.randrange(14)
        if kind < 4:
            return self.expression(0)
        if kind < 7:
            operator = self.pick("+", "-", "*", "/", "%", "&&", "||")
            return f"{self.operand(depth)}{self.blank()}{operator}{self.maybe_gap()}{self.operand(depth)}"
        if kind == 7:
            operator = self.pick("==", "!=", "<", "<=", ">", ">=")
            return f"({self.maybe_gap()}{self.operand(depth)} {operator} {self.operand(depth)}{self.maybe_gap()})"
        if kind == 8:
            choice = f"{self.operand(depth)} ?{self.maybe_gap()}{sub(depth - 1)}{self.maybe_gap()}:"
            return f"({choice}{self.maybe_gap()}{sub(depth - 1)})"
        if kind == 9:
            return self.separated([sub(depth - 1) for _ in self.many(4)], "[", "]")
        if kind == 10:
            return self.separated([self.entry(depth - 1) for _ in self.many(3)], "{", "}")
        if kind == 11:
            arguments = ("," + self.maybe_gap()).join(sub(depth - 1) for _ in range(self.chance.randint(1, 3)))
            return f"join({self.maybe_gap()}{arguments}{self.maybe(',')}{self.maybe_gap()})"
        if kind == 12:
            return self.pick("-", "!") + self.blank() + self.operand(depth)
        return self.block_text() if depth == 3 else self.expression(0)

    def operand(self, depth: int) -> str:
        return self.pick(f"({self.expression(depth - 1)})", self.simple(1), "a[0].b", "f()")

    def entry(self, depth: int) -> str:
        key = self.pick(self.name(), '"a key"', '"with \\" quote"')
        return f"{key}{self.blank()}={self.blank()}{self.expression(depth)}"

    # --- items ---

    def settings(self) -> str:
        return self.separated([self.entry(1) for _ in self.many(3)], "{", "}")

    def subject(self) -> str:
        return self.pick("worker", "ps", "worker[0]", "chief", "role")

    def condition(self) -> str:
        """A condition at the end of an item's head, or nothing."""
        return self.maybe(f"{self.pick(' ', '  ', chr(9))}when {self.expression(1)}", 0.3)

    def policy(self) -> str:
        codes = self.pick("1", "1..9", "[137, 143]", "[1,2,]")
        event = self.pick("completed", "failed", "evicted", f"exit {codes}", "restarted 3", "pending")
        subject = self.maybe(self.subject() + " ")
        after = self.maybe(f" after{self.pick(' ', '  ')}{self.pick('10m', 'grace', 'a + 1m')}")
        head = f"on {subject}{event}{after}{self.condition()}"
        return f"{head} => {self.pick('restart job', 'ignore', 'fail  job')}"

    def mount(self) -> str:
        source = self.maybe(self.pick(self.string(), "100Gi", "(a + b)", '"x" + a') + " ", 0.8)
        rest = self.maybe(" readonly") + self.condition() + self.maybe(" " + self.settings(), 0.3)
        return f"mount pvc {source}at {self.string()}{rest}"

    def output(self) -> str:
        rest = self.maybe(" on always") + self.maybe(f" from {self.subject()}") + self.condition()
        return f"output {self.string()} to {self.string()}{rest}{self.maybe(' ' + self.settings(), 0.3)}"

    def build(self) -> str:
        items = [
            self.pick(self.entry(1), f"copy {self.string()} to {self.string()}", f"run {self.string()}")
            for _ in self.many(4)
        ]
        return self.separated(items, "build {", "}")

    def patch(self) -> str:
        operator = self.pick("=", "+=")
        pod, unchecked = self.maybe(" pod", 0.3), self.maybe("  unchecked", 0.3)
        change = f'patch{pod} "a.b" {operator} {self.expression(1)}{unchecked}'
        return self.pick(change, f'unpatch{pod} "a.b[x=1]"') + self.condition()

    def step(self) -> str:
        name = self.pick("fetch", "prepare", '"fetch-data"', "when")
        return f"{self.pick('prepare', 'sidecar')} {name}{self.condition()} {self.body(1)}"

    def unset(self) -> str:
        event = self.pick("failed", "worker failed", "exit [137]", "exit 1..9", "restarted", "worker[0] restarted")
        what = self.pick(
            self.name(),
            f"env[{self.maybe_gap()}{self.string()}{self.maybe_gap()}]",
            f"mount {self.string()}",
            f"output {self.string()} to {self.string()}",
            f"on {event}",
            f"{self.pick('prepare', 'sidecar')} {self.pick('fetch', chr(34) + 'fetch-data' + chr(34))}",
        )
        return f"unset {what}{self.condition()}"

    def item(self, depth: int) -> str:
        kinds = [
            lambda: f"long_name{self.blank()}={self.blank()}{self.expression()}{self.condition()}",
            lambda: f"a = {self.expression(2)}{self.condition()}",
            self.step,
            self.unset,
            lambda: f"matrix {self.settings()}",
            self.mount,
            self.output,
            self.policy,
            self.patch,
            self.build,
            lambda: f"cluster {self.settings()}",
            lambda: f"use {self.name()}{self.condition()}",
            lambda: f"target {self.pick('volcano', 'yarn')} {self.body(depth)}",
            lambda: f"role {self.pick('ps', 'chief', 'tensorboard', 'worker')}{self.condition()} {self.body(depth)}",
        ]
        return self.chance.choice(kinds if depth else kinds[:-2])()

    def body(self, depth: int) -> str:
        return self.separated([self.item(depth - 1) for _ in self.many(5)], "{", "}")

    def declaration(self) -> str:
        default = self.maybe(f" ={self.blank()}{self.expression(1)}") + self.maybe(" " + self.settings(), 0.3)
        kinds = [
            f"include {self.pick(chr(34) + 'x.tfjob' + chr(34), self.string(0))}",
            f"param {self.name()} : {self.pick('int', 'list<string>', 'map< list<int> >')}{default}",
            f"let {self.name()} = {self.expression()}",
            f"template {self.name()} {self.body(1)}",
            f"profile {self.name()} {self.settings()}",
            f"job {self.pick('a', 'a-b-1', 'when', *QUOTED_JOBS)}{self.condition()} {self.body(2)}",
        ]
        return self.chance.choice(kinds)

    def program(self) -> str:
        text = self.maybe(self.gap(), 0.3) + self.maybe("edition 1" + self.gap(), 0.3)
        text += self.gap().join(self.declaration() for _ in range(self.chance.randint(1, 5)))
        return text + self.pick("", self.gap(), " # last", self.line_end)
