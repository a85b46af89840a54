"""A stand-in for the agent's library: as much of it as scripts are called with. Python 2.7 and 3."""

import json
import sys
import traceback


class NotRunningError(Exception):
    pass


ComponentIsNotRunning = NotRunningError


class Script:
    config = None

    @staticmethod
    def get_config():
        return Script.config

    def install_packages(self, env):
        env.installed = True

    def execute(self):
        """``SCRIPT COMMAND command.json BASEDIR structured-out.json LOGLEVEL``; 1 when the command raises."""
        command, path, _, out, _ = sys.argv[1:6]
        with open(path) as stream:
            Script.config = json.load(stream)
        status = 0
        env = Environment()
        try:
            getattr(self, command.lower())(env)
        except NotRunningError:
            status = 1
        except Exception:
            traceback.print_exc()
            status = 3
        with open(out, "w") as stream:
            json.dump({"installed": env.installed}, stream)
        sys.exit(status)


class Environment:
    installed = False
