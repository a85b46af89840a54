java -cp "$(hadoop classpath --glob):tony-cli.jar" com.linkedin.tony.cli.ClusterSubmitter -executes train.py -conf_file jobs/tony.xml
