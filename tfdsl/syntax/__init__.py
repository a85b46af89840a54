"""Texts to trees: ``parse`` never fails; it returns a tree and diagnostics."""

from tfdsl.syntax.lexer import Token, tokenize
from tfdsl.syntax.parser import Parsed, parse, parse_expression

__all__ = ["Parsed", "Token", "parse", "parse_expression", "tokenize"]
