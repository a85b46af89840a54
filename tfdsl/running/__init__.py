"""A job as processes of this machine: ``tfdsl run``.

:mod:`~tfdsl.running.plan` says what each replica runs, and :mod:`~tfdsl.running.mounts` what its mounts are here;
:mod:`~tfdsl.running.preparing` checks both against this machine. :class:`~tfdsl.running.local_job.LocalJob` drives the
machine of :mod:`tfdsl.lifecycle` with what happens to the processes, and :class:`~tfdsl.running.local_job.Loop` waits
for it. The processes are started by a supervisor, a program of its own (:mod:`tfdsl.running.supervision`).
"""
