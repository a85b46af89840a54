; What can be folded.

[
  (body)
  (settings)
  (build)
  (map)
  (list)
  (text)
  (raw)
] @fold
