#!/bin/bash
PART=3
yarn jar distributedshell.jar -jar distributedshell.jar -appname part-$PART -shell_script ./jobs/run.sh \
  -shell_args "$PART" -localize_files params.json -container_memory 4096 -timeout 0
