"""The only task of a job: it has no peers, and its end is the end of the job."""

from __future__ import print_function

from tfdsl_backends.yarn.programs.plan import REJECTED, Plan, log
from tfdsl_backends.yarn.programs.steps import Steps


class Alone(Steps):
    """A task without peers."""

    def settle(self, status):
        # type: (int) -> int
        """Apply the policies to the end of the command; returns the exit status."""
        action = self.plan.action_at_end(self.slot, status, self.uncopied)
        if action == "ignore":
            return 0
        used_up = "; all %d restarts are used up" % self.plan.restarts if self.plan.used_up() else ""
        log(self.name, "%s: %s exited with %d%s" % (action, self.name, status, used_up))
        return self.plan.status(action, status)


def alone(plan, script, environ):
    # type: (Plan, str, dict[str, str]) -> Steps
    """The task; rejected in a container that YARN started without a request, so that the work is never done twice."""
    number = environ.get("YARN_SHELL_ID", "1")
    task = Alone(plan, script, 0)
    if number != "1":
        task.rejected = "the job has one task, and this is container %s" % number
        log(task.name, "rejected (%d): %s" % (REJECTED, task.rejected))
    return task
