# Runs the command with --task_index=INDEX+OFFSET as its last argument. Arguments: INDEX OFFSET COMMAND [ARGUMENT]...
task=$(($1 + $2))
shift 2
exec "$@" "--task_index=$task"
