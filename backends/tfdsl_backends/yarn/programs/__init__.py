"""The program that every container of a YARN job runs.

Its parts are modules here, so they can be checked and tested; :mod:`tfdsl_backends.yarn.assembly` joins them into
the one file that travels with the job. They run under Python 2.7 and 3 with the standard library only, hence the
type comments and the old spellings.
"""
