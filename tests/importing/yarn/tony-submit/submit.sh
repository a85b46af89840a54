#!/bin/bash
# Once a night.
java -cp "$(hadoop classpath --glob):tony-cli.jar" com.linkedin.tony.cli.ClusterSubmitter \
  -executes train.py -task_params "--data /data --steps 5000" -src_dir src \
  -python_venv venv.zip -python_binary_path bin/python -conf_file tony.xml \
  -conf tony.yarn.queue=nightly -shell_env TF_CPP_MIN_LOG_LEVEL=1 -hdfs_classpath hdfs:///libs
