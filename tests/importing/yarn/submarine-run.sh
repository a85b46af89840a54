yarn jar /opt/submarine/hadoop-submarine-all.jar job run \
  --name digits --docker_image registry.example.com/ml/digits:2.4 \
  --input_path hdfs:///data/digits --checkpoint_path hdfs:///runs/digits \
  --num_workers 2 --worker_resources memory=8G,vcores=2,gpu=1 \
  --worker_launch_cmd "python train.py --data=%input_path% --out=%checkpoint_path%" \
  --num_ps 1 --ps_resources memory=4G,vcores=2 --ps_launch_cmd "python train.py --out=%checkpoint_path%" \
  --tensorboard --tensorboard_resources memory=2G,vcores=1 \
  --env TF_CPP_MIN_LOG_LEVEL=1 --localization hdfs:///apps/words.txt:words.txt --verbose --keytab alice.keytab
