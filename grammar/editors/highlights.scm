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
(escape_sequence) @string.escape
(interpolation ["${" "}"] @punctuation.special)

; --- values ---

(number) @number
(unit) @number
["true" "false"] @boolean

((reference (name) @variable.builtin)
  (#any-of? @variable.builtin {{reserved}}))
((reference (name) @variable)
  (#not-match? @variable "^({{pattern reserved}})$"))
(member name: (name) @variable.member)

((call function: (name) @function.builtin)
  (#any-of? @function.builtin {{functions}}))

; --- declarations ---

(param name: (name) @variable.parameter)
((type name: (name) @type.builtin)
  (#any-of? @type.builtin {{types}}))
(let name: (name) @constant)
(job name: (job_name) @type.definition)
(flow name: (job_name) @type.definition)
(flow_run ending: (name) @keyword.conditional)
(template name: (name) @function)
(use name: (name) @function)
(prepare name: (name) @type.definition)
(sidecar name: (name) @type.definition)
(unset step: (name) @type.definition)
(matrix axes: (settings (entry key: (name) @variable.parameter)))
(profile name: (name) @label)
(profile settings: (settings (entry key: (name) @variable.parameter)))

; --- items ---

((attribute name: (name) @property)
  (#any-of? @property {{attributes}} {{options}}))
((unset name: (name) @property)
  (#any-of? @property {{attributes}} {{options}}))
((role name: (name) @constant.builtin)
  (#any-of? @constant.builtin {{roles}}))
((subject role: (name) @constant.builtin)
  (#any-of? @constant.builtin {{roles}}))
((target name: (name) @module)
  (#any-of? @module {{targets}}))
((mount kind: (name) @type)
  (#any-of? @type {{mount_kinds}}))
((event (name) @keyword.conditional)
  (#any-of? @keyword.conditional {{events}}))
((action (name) @keyword.return)
  (#any-of? @keyword.return {{actions}}))
((flow (attribute name: (name) @property))
  (#any-of? @property "schedule" "time_zone" "overlap"))
((output when: (name) @keyword.conditional)
  (#any-of? @keyword.conditional {{moments}}))

; What stands in the braces of a statement is a setting; the keys of a map are the user's own.
((mount settings: (settings (entry key: (name) @property)))
  (#any-of? @property {{settings}}))
((output settings: (settings (entry key: (name) @property)))
  (#any-of? @property {{settings}}))
((param settings: (settings (entry key: (name) @property)))
  (#any-of? @property {{settings}}))
((cluster settings: (settings (entry key: (name) @property)))
  (#any-of? @property {{settings}}))
((build (entry key: (name) @property))
  (#any-of? @property {{settings}}))
(map (entry key: (name) @variable.member))

; --- words and marks ---

["edition" "include"] @keyword.import
["param" "let" "template" "profile" "job" "flow" "role" "target" "cluster" "build" "matrix" "prepare" "sidecar"] @keyword.type
["use" "mount" "output" "copy" "run" "patch" "unpatch" "unset"] @keyword
(condition "when" @keyword.conditional)
["at" "to" "from" "on" "after" "readonly" "pod" "unchecked"] @keyword
["exit" "restarted"] @keyword.conditional

["=" "+=" "=>" "==" "!=" "<=" ">=" "+" "-" "*" "/" "%" "&&" "||" "!" ".."] @operator
(choice ["?" ":"] @keyword.conditional.ternary)
(binary operator: ["<" ">"] @operator)
(type ["<" ">"] @punctuation.bracket)
(param ":" @punctuation.delimiter)
(body ["{" "}"] @punctuation.bracket)
(settings ["{" "}"] @punctuation.bracket)
(map ["{" "}"] @punctuation.bracket)
(build ["{" "}"] @punctuation.bracket)
["(" ")" "[" "]"] @punctuation.bracket
["," "."] @punctuation.delimiter
