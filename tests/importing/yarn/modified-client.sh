yarn jar yarn-tf.jar org.apache.hadoop.yarn.applications.distributedshell.Client -jar yarn-tf.jar \
  -appname trainer -num_parameter_servers 2 -num_trainers 3 \
  -shell_env YARN_CONTAINER_RUNTIME_TYPE=docker -shell_env YARN_CONTAINER_RUNTIME_DOCKER_IMAGE=example/tf-gpu:1.10 \
  -mounts /disk1/data:data/,/mnt/results:/mnt/results -output model:/mnt/results/trainer \
  -tar hdfs:///apps/trainer/code.tar -container_memory 4096 -container_vcores 2 -timeout 86400000 \
  -shell_command "python trainer.py"
