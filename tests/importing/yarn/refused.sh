yarn jar distributedshell.jar -shell_command python -shell_args train.py --queue=x -bogus 1 -shell_script run.sh \
  -num_containers 0 -container_memory lots -shell_env A=$HOME/b
