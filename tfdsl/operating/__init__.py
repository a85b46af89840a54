"""Jobs on their clusters: submitted, read, followed and ended by the cluster's own client.

:mod:`.runner` runs command lines with limits; :mod:`.session` reads a job and explains it in the words of its file;
:mod:`.submitting` submits, ends and resumes; :mod:`.logs` follows; :mod:`.showing` shows. What a target's client is
asked, and what its answers mean, is in the ``cluster`` module of the target (:mod:`tfdsl.backend.cluster`).
"""
