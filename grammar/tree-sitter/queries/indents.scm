; Indentation, in the words of nvim-treesitter. Text blocks keep what the author wrote.

[
  (body)
  (settings)
  (build)
  (map)
  (list)
  (group)
  (call)
] @indent.begin

[
  "}"
  "]"
  ")"
] @indent.branch @indent.end

[
  (text)
  (raw)
  (comment)
] @indent.auto
