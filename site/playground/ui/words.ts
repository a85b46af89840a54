/**
 * The words of the language, for colours before the engine is there. Made by grammar/editor_words.py from
 * grammar/editors/words.ts; change that file.
 */

export const KEYWORDS: readonly string[] = ["after", "at", "build", "cluster", "copy", "edition", "exit", "flow", "from", "include", "job", "let", "matrix", "mount", "on", "output", "param", "patch", "pod", "prepare", "profile", "readonly", "restarted", "role", "run", "sidecar", "target", "template", "to", "unchecked", "unpatch", "unset", "use", "when"];

export const ROLES: readonly string[] = ["chief", "evaluator", "master", "ps", "tensorboard", "worker"];

export const TARGETS: readonly string[] = ["jobset", "kubeflow", "kubernetes", "simpletfjob", "slider", "slurm", "tfjob", "volcano", "yarn"];

export const EVENTS: readonly string[] = ["completed", "evicted", "exit", "failed", "pending", "restarted", "unknown"];

export const ACTIONS: readonly string[] = ["abort", "complete", "container", "fail", "ignore", "job", "pod", "restart", "role"];

export const MOUNT_KINDS: readonly string[] = ["archive", "claim", "configmap", "hdfs", "host", "memory", "nfs", "pvc", "scratch", "secret"];

export const TYPES: readonly string[] = ["bool", "duration", "int", "list", "map", "number", "quantity", "string"];

export const FUNCTIONS: readonly string[] = ["configmap", "env_file", "file", "format", "join", "len", "lower", "max", "min", "pod_field", "replace", "secret", "split", "trim", "upper"];

export const RESERVED: readonly string[] = ["env", "job", "matrix", "role", "roles", "task"];

export const UNITS: readonly string[] = ["E", "Ei", "G", "Gi", "Ki", "M", "Mi", "P", "Pi", "T", "Ti", "d", "h", "k", "m", "ms", "s"];
