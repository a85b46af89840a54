"""From trees to typed values: includes, names, expressions, layers, and the rules of the language."""
