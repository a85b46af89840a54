#!/bin/bash
# Trains on two GPUs, in a container.
IMAGE=registry.example.com/ml/digits:2.4
HADOOP=/opt/hadoop

yarn jar $HADOOP/share/hadoop/yarn/hadoop-yarn-applications-distributedshell-3.3.6.jar \
  -jar $HADOOP/share/hadoop/yarn/hadoop-yarn-applications-distributedshell-3.3.6.jar \
  -appname digits \
  -queue root.research \
  -shell_env YARN_CONTAINER_RUNTIME_TYPE=docker \
  -shell_env YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=$IMAGE \
  -shell_env YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS=/data/digits:/data:ro,/data/runs:/runs:rw \
  -shell_env TF_CPP_MIN_LOG_LEVEL=1 \
  -shell_command "python train.py --data=/data --out=/runs" \
  -container_resources memory-mb=8192,vcores=4,yarn.io/gpu=2 \
  -timeout 43200000 \
  -num_containers 1
