"""The only task of a job: it has nobody to meet, and how it ends is how the job ends."""

from __future__ import print_function

from tfdsl_backends.yarn.programs.plan import REJECTED, Plan, log
from tfdsl_backends.yarn.programs.steps import Steps


class Alone(Steps):
    """A task that has no others to wait for."""

    def settle(self, status):
        # type: (int) -> int
        """What the end of the command means for the job; gives the status to exit with."""
        action = self.plan.action_at_end(self.slot, status, self.uncopied)
        if action == "ignore":
            return 0
        used_up = "; all %d restarts are used up" % self.plan.restarts if self.plan.used_up() else ""
        log(self.name, "%s: %s ended with %d%s" % (action, self.name, status, used_up))
        return self.plan.status(action, status)


def alone(plan, script, environ):
    # type: (Plan, str, dict[str, str]) -> Steps
    """The task, unless YARN has started more containers than it was asked for: the work is never done twice."""
    number = environ.get("YARN_SHELL_ID", "1")
    task = Alone(plan, script, 0)
    if number != "1":
        task.rejected = "the job has one task, and this is container %s" % number
        log(task.name, "rejected (%d): %s" % (REJECTED, task.rejected))
    return task
