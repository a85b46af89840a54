; Other languages inside texts. A command that is one text is run by /bin/sh, what `run` holds by the shell of the
; image's builder, and a `pattern` is a regular expression.

((attribute
  name: (name) @_name
  value: [
    (text (text_content) @injection.content)
    (raw (text_content) @injection.content)
    (string (string_content) @injection.content)
  ])
  (#eq? @_name "command")
  (#set! injection.language "bash")
  (#set! injection.combined))

((run
  command: [
    (text (text_content) @injection.content)
    (raw (text_content) @injection.content)
    (string (string_content) @injection.content)
  ])
  (#set! injection.language "bash"))

((param
  settings: (settings
    (entry
      key: (name) @_name
      value: (string (string_content) @injection.content))))
  (#eq? @_name "pattern")
  (#set! injection.language "regex"))

((comment) @injection.content
  (#set! injection.language "comment"))
