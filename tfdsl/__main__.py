"""``python -m tfdsl``.

``python -m`` looks for modules in the current folder first. That folder may be a stranger's: a ``jinja2.py`` or the
``*.dist-info`` of a plugin in it would be run. So it is taken off the path, unless tfdsl itself was found there.
"""

import os
import sys

if __name__ == "__main__":
    if not sys.flags.safe_path and not os.path.samefile(sys.path[0], os.path.dirname(os.path.dirname(__file__))):
        del sys.path[0]

    from tfdsl.cli.main import program

    program()
