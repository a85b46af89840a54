"""How a job of the Kubernetes family is read, submitted and ended with ``kubectl``; each target adds its own facts.

:mod:`.kubectl` writes command lines and reads tables, :mod:`.pods` what pods say, :mod:`.reasons` explains it,
:mod:`.family` puts both together with the target's own objects, :mod:`.submitting` creates and deletes.
"""
