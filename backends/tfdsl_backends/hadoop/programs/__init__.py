"""What the programs of yarn and slider share on the cluster: texts and files, HDFS, marks of copies, addresses.

yarn joins what a job needs of them into its one program; slider sends them as ``task_NAME.py`` beside its own. So they
are in the syntax and the library of Python 2.6, the oldest of Slider's agents, and of Python 3, with type comments. No
two modules define the same name.
"""
