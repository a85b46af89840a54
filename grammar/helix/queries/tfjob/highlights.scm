; Colours. Made by grammar/editor_words.py from grammar/editors/highlights.scm; change that file.
;
; A word that the language does not know gets no colour: it is a slip, and should look like one.
; No node is captured twice, because editors differ in which of two patterns wins.

(comment) @comment

; --- texts ---

(string "\"" @string)
(string_content) @string
(text ["\"\"\""] @string)
(raw ["'''"] @string)
(text_content) @string
(escape_sequence) @constant.character.escape
(interpolation ["${" "}"] @punctuation.special)

; --- values ---

(number) @constant.numeric
(unit) @constant.numeric
["true" "false"] @constant.builtin.boolean

((reference (name) @variable.builtin)
  (#any-of? @variable.builtin "matrix" "roles" "role" "task" "env" "job"))
((reference (name) @variable)
  (#not-match? @variable "^(matrix|roles|role|task|env|job)$"))
(member name: (name) @variable.other.member)

((call function: (name) @function.builtin)
  (#any-of? @function.builtin "configmap" "pod_field" "env_file" "replace" "format" "secret" "lower" "split" "upper" "file" "join" "trim" "len" "max" "min"))

; --- declarations ---

(param name: (name) @variable.parameter)
((type name: (name) @type.builtin)
  (#any-of? @type.builtin "duration" "quantity" "number" "string" "bool" "list" "int" "map"))
(let name: (name) @constant)
(job name: (job_name) @type)
(flow name: (job_name) @type)
(flow_run ending: (name) @keyword.control.conditional)
(template name: (name) @function)
(use name: (name) @function)
(prepare name: (name) @type)
(sidecar name: (name) @type)
(unset step: (name) @type)
(matrix axes: (settings (entry key: (name) @variable.parameter)))
(profile name: (name) @label)
(profile settings: (settings (entry key: (name) @variable.parameter)))

; --- items ---

((attribute name: (name) @variable.other.member)
  (#any-of? @variable.other.member "image_pull_secrets" "image_pull_policy" "service_account" "common_labels" "min_available" "node_selector" "capabilities" "gpu_resource" "host_network" "memory_limit" "run_as_group" "annotations" "run_as_user" "tolerations" "checkpoint" "gpu_memory" "node_label" "privileged" "restricted" "stop_grace" "cpu_limit" "namespace" "resources" "scheduler" "deadline" "env_from" "fs_group" "priority" "replicas" "tmp_size" "cleanup" "command" "retries" "suspend" "workdir" "labels" "logdir" "memory" "server" "spread" "after" "image" "ports" "queue" "args" "gang" "port" "cpu" "env" "gpu" "shm" "ttl" "nvidia_visible_devices" "max_container_memory" "exclusive_topology" "rendezvous_seconds" "escalate_seconds" "istio_annotation" "restart_strategy" "dynamic_workers" "resourcemanager" "docker_network" "gang_scheduler" "limit_restarts" "restart_policy" "tasks_per_node" "allowed_ports" "applications" "config_files" "app_version" "cgroup_root" "cluster_dns" "coordinator" "docker_user" "hadoop_conf" "hadoop_home" "allocation" "port_range" "reuse_port" "task_names" "time_limit" "wait_limit" "after_any" "am_memory" "gang_size" "job_names" "placement" "subdomain" "tf_config" "metainfo" "policies" "account" "am_heap" "dialect" "exclude" "plugins" "run_dir" "runtime" "service" "success" "version" "webhdfs" "python" "sbatch" "files" "hosts" "kueue" "setup" "store" "argo" "gres" "jobs" "qos"))
((unset name: (name) @variable.other.member)
  (#any-of? @variable.other.member "image_pull_secrets" "image_pull_policy" "service_account" "common_labels" "min_available" "node_selector" "capabilities" "gpu_resource" "host_network" "memory_limit" "run_as_group" "annotations" "run_as_user" "tolerations" "checkpoint" "gpu_memory" "node_label" "privileged" "restricted" "stop_grace" "cpu_limit" "namespace" "resources" "scheduler" "deadline" "env_from" "fs_group" "priority" "replicas" "tmp_size" "cleanup" "command" "retries" "suspend" "workdir" "labels" "logdir" "memory" "server" "spread" "after" "image" "ports" "queue" "args" "gang" "port" "cpu" "env" "gpu" "shm" "ttl" "nvidia_visible_devices" "max_container_memory" "exclusive_topology" "rendezvous_seconds" "escalate_seconds" "istio_annotation" "restart_strategy" "dynamic_workers" "resourcemanager" "docker_network" "gang_scheduler" "limit_restarts" "restart_policy" "tasks_per_node" "allowed_ports" "applications" "config_files" "app_version" "cgroup_root" "cluster_dns" "coordinator" "docker_user" "hadoop_conf" "hadoop_home" "allocation" "port_range" "reuse_port" "task_names" "time_limit" "wait_limit" "after_any" "am_memory" "gang_size" "job_names" "placement" "subdomain" "tf_config" "metainfo" "policies" "account" "am_heap" "dialect" "exclude" "plugins" "run_dir" "runtime" "service" "success" "version" "webhdfs" "python" "sbatch" "files" "hosts" "kueue" "setup" "store" "argo" "gres" "jobs" "qos"))
((role name: (name) @constant.builtin)
  (#any-of? @constant.builtin "tensorboard" "evaluator" "master" "worker" "chief" "ps"))
((subject role: (name) @constant.builtin)
  (#any-of? @constant.builtin "tensorboard" "evaluator" "master" "worker" "chief" "ps"))
((target name: (name) @namespace)
  (#any-of? @namespace "simpletfjob" "kubernetes" "kubeflow" "volcano" "jobset" "slider" "slurm" "tfjob" "yarn"))
((mount kind: (name) @type)
  (#any-of? @type "configmap" "archive" "scratch" "memory" "secret" "claim" "hdfs" "host" "nfs" "pvc"))
((event (name) @keyword.control.conditional)
  (#any-of? @keyword.control.conditional "completed" "restarted" "evicted" "pending" "unknown" "failed" "exit"))
((action (name) @keyword.control.return)
  (#any-of? @keyword.control.return "container" "complete" "restart" "ignore" "abort" "fail" "role" "job" "pod"))
((flow (attribute name: (name) @variable.other.member))
  (#any-of? @variable.other.member "schedule" "time_zone" "overlap"))
((output when: (name) @keyword.control.conditional)
  (#any-of? @keyword.control.conditional "failure" "success" "always"))

; What stands in the braces of a statement is a setting; the keys of a map are the user's own.
((mount settings: (settings (entry key: (name) @variable.other.member)))
  (#any-of? @variable.other.member "storage_class" "access_modes" "description" "entrypoint" "discovery" "overwrite" "protocol" "sub_path" "pattern" "workdir" "hadoop" "one_of" "items" "from" "keep" "mode" "type" "max" "min"))
((output settings: (settings (entry key: (name) @variable.other.member)))
  (#any-of? @variable.other.member "storage_class" "access_modes" "description" "entrypoint" "discovery" "overwrite" "protocol" "sub_path" "pattern" "workdir" "hadoop" "one_of" "items" "from" "keep" "mode" "type" "max" "min"))
((param settings: (settings (entry key: (name) @variable.other.member)))
  (#any-of? @variable.other.member "storage_class" "access_modes" "description" "entrypoint" "discovery" "overwrite" "protocol" "sub_path" "pattern" "workdir" "hadoop" "one_of" "items" "from" "keep" "mode" "type" "max" "min"))
((cluster settings: (settings (entry key: (name) @variable.other.member)))
  (#any-of? @variable.other.member "storage_class" "access_modes" "description" "entrypoint" "discovery" "overwrite" "protocol" "sub_path" "pattern" "workdir" "hadoop" "one_of" "items" "from" "keep" "mode" "type" "max" "min"))
((build (entry key: (name) @variable.other.member))
  (#any-of? @variable.other.member "storage_class" "access_modes" "description" "entrypoint" "discovery" "overwrite" "protocol" "sub_path" "pattern" "workdir" "hadoop" "one_of" "items" "from" "keep" "mode" "type" "max" "min"))
(map (entry key: (name) @variable.other.member))

; --- words and marks ---

["edition" "include"] @keyword.control.import
["param" "let" "template" "profile" "job" "flow" "role" "target" "cluster" "build" "matrix" "prepare" "sidecar"] @keyword.storage.type
["use" "mount" "output" "copy" "run" "patch" "unpatch" "unset"] @keyword
(condition "when" @keyword.control.conditional)
["at" "to" "from" "on" "after" "readonly" "pod" "unchecked"] @keyword
["exit" "restarted"] @keyword.control.conditional

["=" "+=" "=>" "==" "!=" "<=" ">=" "+" "-" "*" "/" "%" "&&" "||" "!" ".."] @operator
(choice ["?" ":"] @operator)
(binary operator: ["<" ">"] @operator)
(type ["<" ">"] @punctuation.bracket)
(param ":" @punctuation.delimiter)
(body ["{" "}"] @punctuation.bracket)
(settings ["{" "}"] @punctuation.bracket)
(map ["{" "}"] @punctuation.bracket)
(build ["{" "}"] @punctuation.bracket)
["(" ")" "[" "]"] @punctuation.bracket
["," "."] @punctuation.delimiter
