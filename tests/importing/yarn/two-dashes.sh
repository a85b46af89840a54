hadoop jar hadoop-yarn-applications-distributedshell.jar --jar hadoop-yarn-applications-distributedshell.jar \
  --appname train --timeout 60000 --shell_script run.sh --shell_args "--epochs 3" --num_containers 2 --queue=ml
