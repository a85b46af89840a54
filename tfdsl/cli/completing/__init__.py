"""What can follow on a command line that is being typed; :mod:`tfdsl.cli.completion` answers a shell with it."""
