/**
 * The words of the language, for colours before the engine is there. Made by grammar/editor_words.py from
 * grammar/editors/words.ts; change that file.
 */

export const KEYWORDS: readonly string[] = [{{keywords}}];

export const ROLES: readonly string[] = [{{roles}}];

export const TARGETS: readonly string[] = [{{targets}}];

export const EVENTS: readonly string[] = [{{events}}];

export const ACTIONS: readonly string[] = [{{actions}}];

export const MOUNT_KINDS: readonly string[] = [{{mount_kinds}}];

export const TYPES: readonly string[] = [{{types}}];

export const FUNCTIONS: readonly string[] = [{{functions}}];

export const RESERVED: readonly string[] = [{{reserved}}];

export const UNITS: readonly string[] = [{{units}}];
