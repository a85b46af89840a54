"""A job as processes of this machine: ``tfdsl run``.

:mod:`~tfdsl.running.plan` says what each replica runs, :class:`~tfdsl.running.local_job.LocalJob` drives the machine
of :mod:`tfdsl.lifecycle` with what happens to the processes, and :mod:`~tfdsl.running.local_job` waits for it.
"""
