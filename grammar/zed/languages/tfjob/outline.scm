; The outline of a file.

(param "param" @context name: (_) @name) @item
(let "let" @context name: (_) @name) @item
(template "template" @context name: (_) @name) @item
(profile "profile" @context name: (_) @name) @item
(job "job" @context name: (_) @name) @item
(role "role" @context name: (_) @name) @item
(prepare "prepare" @context name: (_) @name) @item
(sidecar "sidecar" @context name: (_) @name) @item
(target "target" @context name: (_) @name) @item
