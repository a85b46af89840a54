; Names and where they are used. All params, lets and templates of a file are known in the whole file.

(file) @local.scope

(param name: (name) @local.definition.parameter)
(let name: (name) @local.definition.constant)
(template name: (name) @local.definition.function)

(reference (name) @local.reference)
(use name: (name) @local.reference)
(profile settings: (settings (entry key: (name) @local.reference)))
