#!/bin/bash
set -e
export HADOOP_USER_NAME=alice
DS="yarn jar /opt/hadoop/distributedshell.jar"
COMMON=(-jar /opt/hadoop/distributedshell.jar -queue research -timeout 0 -container_memory 4096)

cat > words.txt <<WORDS
one two
WORDS

# The first half.
$DS "${COMMON[@]}" -appname digits-a -shell_command "python train.py --half=1"
# The second half.
$DS "${COMMON[@]}" -appname digits-b -shell_command "python train.py --half=2 > $HADOOP_USER_NAME.log"
