"""Writes what the process got, as JSON: ``record.py FILE WORDS…``; then waits for SIGTERM when FILE ends in .wait.

On SIGTERM it writes FILE.term and ends with status 7.
"""

import json
import os
import signal
import sys
import time

path = sys.argv[1]


def ended(number, frame):
    with open(path + ".term", "w") as file:
        file.write(str(number))
    sys.exit(7)


signal.signal(signal.SIGTERM, ended)
with open(path + ".part", "w") as file:
    json.dump({"words": sys.argv[2:], "environment": dict(os.environ)}, file)
os.rename(path + ".part", path)
while path.endswith(".wait"):
    time.sleep(0.1)
