"""Texts that are small and ask for much."""

from __future__ import annotations

JOB = 'job j {{ image = "i", role worker {{ }}, {} }}\n'
"""A small job with something in it."""

BOMBS = {
    "a chain of lets": "".join(f"let a{n} = a{n + 1} + 1\n" for n in range(8000)) + "let a8000 = 1\n",
    "the chain backwards": "let a0 = 1\n" + "".join(f"let a{n + 1} = a{n} + 1\n" for n in range(8000)),
    "a cycle of lets": "".join(f"let a{n} = a{(n + 1) % 5000}\n" for n in range(5000)),
    "a sum of numbers": f"let a = {' + '.join(['1'] * 10_000)}\n",
    "a sum of texts": 'let a = ' + " + ".join(['"0123456789"'] * 6000) + "\n",
    "a sum of lists": f"let a = {' + '.join(['[1]'] * 15_000)}\n",
    "a sum of maps": f"let a = {' + '.join(['{a=1}'] * 10_000)}\n",
    "doubling texts": 'let a0 = "xx"\n' + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(3000)),
    "doubling lists": "let a0 = [1]\n" + "".join(f"let a{n + 1} = [a{n}, a{n}]\n" for n in range(3000)),
    "comparing doubled lists": "let a0 = [1]\n"
    + "".join(f"let a{n + 1} = [a{n}, a{n}]\n" for n in range(16))
    + "".join(f"let b{n} = a16 == a16\n" for n in range(3000)),
    "nesting by lets": "let a0 = 1\n" + "".join(f"let a{n + 1} = [a{n}]\n" for n in range(5000)),
    "a text of many texts": 'let a0 = "xx"\n'
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(18))
    + 'let b = "' + "${a18}" * 10_000 + '"\n',
    "replacing": 'let a0 = "xx"\n'
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(18))
    + "".join(f'let b{n} = len(replace(a18, "x", "y"))\n' for n in range(2000)),
    "splitting": 'let a0 = "x,"\n'
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(15))
    + "".join(f'let b{n} = len(split(",", a15))\n' for n in range(2000)),
    "a pattern that backtracks": 'param a: string = "' + "a" * 5000 + '" { pattern = "(a+)+b" }\n',
    "many patterns": "".join(
        f'param a{n}: string = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" {{ pattern = "(a|a|a)*b" }}\n' for n in range(800)
    ),
    "a deep type": f"param a: {'list<' * 5000}int{'>' * 5000} = 1\n",
    "deep brackets": f"let a = {'[' * 5000}{']' * 5000}\n",
    "deep parentheses": f"let a = {'(' * 20_000}1{')' * 20_000}\n",
    "deep not": f"let a = {'!' * 20_000}true\n",
    "deep choices": f"let a = {'true ? 1 : ' * 5000}2\n",
    "deep members": f"let a = b{'.c' * 20_000}\n",
    "templates in a row": "".join(f"template t{n} {{ use t{n + 1} }}\n" for n in range(2000))
    + "".join(f"job j{n} {{ image = \"i\", use t0, role worker {{ use t0 }} }}\n" for n in range(500)),
    "templates side by side": "template all { " + ", ".join(f"use t{n}" for n in range(1500)) + " }\n"
    + "".join(f"template t{n} {{ cpu = 1 }}\n" for n in range(1500))
    + "".join(f"job j{n} {{ image = \"i\", use all, role worker {{ use all }} }}\n" for n in range(400)),
    "templates side by side with conditions": "param a: bool = true\ntemplate all { "
    + ", ".join(f"use t{n} when {'!' * (n % 2)}a" for n in range(1500)) + " }\n"
    + "".join(f"template t{n} {{ cpu = 1 when a, shm = 1Gi when !a }}\n" for n in range(1500))
    + "".join(f"job j{n} {{ image = \"i\", use all, role worker {{ use all when a }} }}\n" for n in range(400)),
    "many conditions": "param a: bool = true\njob j { image = \"i\", role worker { }, role ps { }, role evaluator { }\n"
    + "".join(f'mount pvc "m{n}" at "/m{n}" when role.name == "ps" && a\n' for n in range(3000))
    + "".join(f'image = "i{n}" when !a\n' for n in range(3000))
    + "".join(f"role chief when job.name == \"{n}\" {{ cpu = 1 }}\n" for n in range(1000)) + "}\n",
    "many unsets": "job j { image = \"i\", role worker {\n"
    + "".join(f'unset mount "/m{n}"\nunset env["E{n}"]\nunset on exit {n % 120 + 1}\n' for n in range(2500)) + "}\n"
    + "".join(f'mount pvc "m{n}" at "/m{n}"\non worker exit {n % 120 + 1} => fail job\n' for n in range(2500))
    + "env = { " + ", ".join(f'E{n} = "1"' for n in range(2500)) + " } }\n",
    "many unsets of nothing": "job j { image = \"i\", role worker { }, role ps { }\n"
    + "".join(f'unset mount "/some/mount{n}"\nunset output "/a{n}" to "/b"\nunset prepare p{n}\n' for n in range(2000))
    + "".join(f'mount pvc "m{n}" at "/some/mounts{n}"\n' for n in range(2000)) + "}\n",
    "templates that double": "".join(
        f"template t{n} {{ use t{n + 1}, use u{n + 1} }}\ntemplate u{n} {{ use t{n + 1} }}\n" for n in range(900)
    )
    + JOB.format("use t0"),
    "big wrong lists in many jobs": "let a0 = [1]\n"
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(16))
    + "".join(f'job j{n} {{ image = "i", args = a16, role worker {{ }} }}\n' for n in range(1200)),
    "big lists in many jobs": 'let a0 = ["x"]\n'
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(16))
    + "".join(f"job j{n} {{ image = \"i\", args = a16, role worker {{ }} }}\n" for n in range(1200)),
    "many unknown names": "".join(f"let x{n} = y{n}\n" for n in range(5000)),
    "many unknown attributes": "job j { image = \"i\", role worker { }\n"
    + "".join(f"atribute{n} = 1\n" for n in range(4000)) + "}\n",
    "many unknown attributes of many letters": "job j { image = \"i\", role worker { }\n"
    + "".join(f"imagepullpolici{n} = 1\n" for n in range(4000)) + "}\n",
    "many unknown keys": "let m = { " + ", ".join(f"key{n} = 1" for n in range(2500)) + " }\n"
    + "".join(f"let x{n} = m.kei{n}\n" for n in range(2500)),
    "many policies": "job j { image = \"i\", role worker { replicas = 5000 }\n"
    + "".join(f"on worker[{n}] failed => ignore\n" for n in range(3000)) + "}\n",
    "many outputs": "job j { image = \"i\", role worker { }\n mount pvc \"a\" at \"/a\"\n"
    + "".join(f'output "/x" to "/a/{n}"\n' for n in range(3000)) + "}\n",
    "many mounts": "job j { image = \"i\", role worker { }\n"
    + "".join(f'mount pvc "a" at "/a/{n}"\n' for n in range(3000)) + "}\n",
    "many claims": "job j { image = \"i\", role worker { }\n"
    + "".join(f'mount claim 1Gi at "/a-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-{n}"\n' for n in range(2000)) + "}\n",
    "a matrix of many jobs": JOB.format(f"matrix {{ a = {list(range(1000))} }}, args = [\"${{matrix.a}}\"]"),
    "many matrices": "".join(
        f'job j{n} {{ image = "i", matrix {{ a = [1, 2] }}, role worker {{ }} }}\n' for n in range(1200)
    ),
    "a matrix of many axes": JOB.format("matrix { " + ", ".join(f"a{n} = [1, 2]" for n in range(6000)) + " }"),
    "a matrix of many axes of one value": JOB.format(
        "matrix { " + ", ".join(f"a{n} = [1]" for n in range(4000)) + " }"
    ),
    "big lists in a matrix": 'let a0 = ["x"]\n'
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(16))
    + JOB.format(f"matrix {{ a = {list(range(1000))} }}, args = a16"),
    "big texts in a matrix": 'let a0 = "xx"\n'
    + "".join(f"let a{n + 1} = a{n} + a{n}\n" for n in range(18))
    + JOB.format(f"matrix {{ a = {list(range(1000))} }}, image = a18"),
    "many mounts in a matrix": JOB.format(
        f"matrix {{ a = {list(range(1000))} }}\n"
        + "".join(f'mount pvc "${{matrix.a}}" at "/a/{n}"\n' for n in range(2000))
    ),
    "many names in a matrix": f"let n = \"{'n' * 5000}\"\n"
    + 'job "${n}-${matrix.a}" { image = "i", role worker { }, matrix { a = ' + str(list(range(1000))) + " } }\n",
    "many roles that are one": "job j { image = \"i\"\n" + "role worker { }\n" * 6000 + "}\n",
    "many targets that are one": "job j { image = \"i\", role worker { }\n" + "target volcano { }\n" * 5000 + "}\n",
    "many jobs": "".join(f"job j{n} {{ image = \"i\", role worker {{ }} }}\n" for n in range(2500)),
    "one job many times": "job j { image = \"i\", role worker { } }\n" * 2500,
    "many profiles": "param a: int = 1\n" + "profile p { a = 1 }\n" * 5000,
    "huge numbers": f"let a = {'9' * 100_000}\nlet b = {'9' * 100_000}Gi\nlet c = 1.{'9' * 100_000}\n"
    + JOB.format(f"retries = {'9' * 5000}, on worker[{'9' * 5000}] failed => ignore, on exit {'9' * 5000} => ignore"),
    "huge numbers in texts": 'param a: int = "' + "9" * 50_000 + '"\nparam b: quantity = "' + "9" * 50_000 + 'Gi"\n',
    "a huge name": f"let a = {'x' * 100_000}\n" + JOB.format(f"{'y' * 100_000} = 1"),
    "NUL": JOB.format('args = ["\\u{0}"], env = { A = "\\u{0}" }, labels = { "\\u{0}" = "\\u{0}" }, queue = "\\u{0}"'),
    "a lone surrogate": JOB.format('queue = "\ud800"'),
    "a large exit list": JOB.format(f"on exit [{', '.join(str(n % 255 + 1) for n in range(20_000))}] => ignore"),
    "a large map": JOB.format("env = { " + ", ".join(f"A{n} = \"x\"" for n in range(6000)) + " }"),
    "namespaces": JOB.format('namespace = "${job.namespace}"'),
    "includes": "".join(f'include "x{n}.tfjob"\n' for n in range(4000)),
    "nothing": "",
    "only a line end": "\n",
}  # fmt: skip
