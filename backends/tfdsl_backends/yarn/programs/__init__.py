"""The program that every container of a YARN job runs.

Its parts are modules here, so that they can be checked, typed and tested; :mod:`tfdsl_backends.yarn.assembly` joins
them into the one file that is sent with the job. They run under Python 2.7 and 3 with only the standard library, hence
the type comments and the old spellings.
"""
