yarn org.apache.hadoop.yarn.applications.distributedshell.Client -jar "$DSHELL_JAR" --appname=Sweep_A \
  --shell_script jobs/sweep.sh --shell_args "--part=3 --of=8" -localize_files params.json \
  -container_memory 4096 -container_vcores 2 -num_containers 8 -container_type GUARANTEED \
  -container_retry_policy 2 -container_retry_error_codes 75,76 -container_max_retries 5 \
  -placement_spec 'sweep(8),NOTIN,NODE,sweep' -node_label_expression "$LABEL" -priority 10
