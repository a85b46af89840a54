; Indentation, in the words of Helix. Text blocks keep what the author wrote.

[
  (body)
  (settings)
  (build)
  (map)
  (list)
  (group)
  (call)
] @indent

[
  "}"
  "]"
  ")"
] @outdent
