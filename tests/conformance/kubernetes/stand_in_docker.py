"""docker as far as pages of the guide use it: an image is built without a container engine, and given to the node.

usage: python -m tests.conformance.kubernetes.stand_in_docker WORK build -f DOCKERFILE -t IMAGE CONTEXT
       python -m tests.conformance.kubernetes.stand_in_docker WORK push IMAGE
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conformance.kubernetes import images, node
from tests.conformance.kubernetes.work import Work


def main(words: list[str]) -> None:
    """Do what the command line says; another use of docker is a mistake of the page."""
    work = Work(Path(words[0]))
    match words[1:]:
        case ["build", "-f", dockerfile, "-t", image, context]:
            images.build_from(work, Path(dockerfile).read_text(encoding="utf-8"), Path(context), image)
            print(f"built {image}")
        case ["push", image]:
            node.add_image(work, images.Image(image, work.sub("images") / "built.tar"))
            print(f"pushed {image}")
        case _:
            sys.exit(f"docker cannot do this here: {' '.join(words[1:])}")


if __name__ == "__main__":
    main(sys.argv[1:])
