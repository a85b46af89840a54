"""``python -m tfdsl``."""

import sys

from tfdsl.cli.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
