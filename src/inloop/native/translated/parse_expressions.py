"""Parse expressions by precedence climbing."""

from __future__ import annotations

import ast
from collections.abc import Sequence as Tokens

from inloop.errors import BuildError
from inloop.native.translated import syntax as s
from inloop.native.translated.c_types import DOUBLE, FLOAT, INT, LONG, ULONG, CType
from inloop.native.translated.scope import Scope
from inloop.native.translated.tokens import is_name

_PRECEDENCE = {
    sign: level
    for level, signs in enumerate(
        (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="),
         ("<<", ">>"), ("+", "-"), ("*", "/", "%")),
        start=1,
    )
    for sign in signs
}  # fmt: skip
_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
_UNARY = ("+", "-", "!", "~", "*", "&", "++", "--")


class ExpressionParser:
    """Parses the expressions of one file."""

    def __init__(self, tokens: Tokens[str], scope: Scope, file: str) -> None:
        self.tokens = [*tokens, ""]
        self.at = 0
        self.scope = scope
        self.file = file

    # tokens

    @property
    def token(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.at]

    def take(self) -> str:
        """Consume a token."""
        token = self.tokens[self.at]
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        """Consume this token if it is next."""
        if self.tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        """Consume this token, which must be next."""
        if not self.accept(token):
            raise self.error(f"'{token}' is missing")

    def error(self, what: str) -> BuildError:
        """Error for unsupported syntax."""
        around = " ".join(self.tokens[max(0, self.at - 6) : self.at + 6])
        return BuildError(
            f"C text cannot be run as Python: {what}, near '{around}'",
            where=self.file,
            fix="A C compiler can: pip install inloop[cc].",
        )

    # implemented by the declaration parser

    def begins_type(self) -> bool:
        """True if a type comes next."""
        raise NotImplementedError

    def type_name(self) -> CType:
        """A type without a declarator name, as in casts."""
        raise NotImplementedError

    def items(self) -> s.Items:
        """An initializer in braces."""
        raise NotImplementedError

    def completed(self, kind: CType, value: s.Initializer | None) -> CType:
        """Complete an array of unknown length from its initializer."""
        raise NotImplementedError

    # expressions

    def expression(self) -> s.Expression:
        """With commas."""
        first = self.assignment()
        if self.token != ",":
            return first
        parts = [first]
        while self.accept(","):
            parts.append(self.assignment())
        return s.Sequence(parts)

    def assignment(self) -> s.Expression:
        """Without commas."""
        left = self.conditional()
        if self.token in _ASSIGNMENTS:
            sign = self.take()[:-1]
            return s.Assignment(sign, left, self.assignment())
        return left

    def conditional(self) -> s.Expression:
        """Without assignments."""
        condition = self._binary(1)
        if not self.accept("?"):
            return condition
        yes = self.expression()
        self.expect(":")
        return s.Choice(condition, yes, self.conditional())

    def _binary(self, least: int) -> s.Expression:
        left = self._unary()
        while (level := _PRECEDENCE.get(self.token, 0)) >= least:
            sign = self.take()
            left = s.Binary(sign, left, self._binary(level + 1))
        return left

    def _unary(self) -> s.Expression:
        self.accept("__extension__")
        token = self.token
        if token in _UNARY:
            self.at += 1
            return s.Unary(token, self._unary())
        if token == "sizeof":
            self.at += 1
            return self._size()
        if token == "(":
            self.at += 1
            if self.begins_type():
                return self._cast()
            self.at -= 1
        return self._postfix(self._primary())

    def _size(self) -> s.Expression:
        if self.token == "(":
            self.at += 1
            if self.begins_type():
                kind = self.type_name()
                self.expect(")")
                return s.SizeOf(kind)
            self.at -= 1
        return s.SizeOf(self._unary())

    def _cast(self) -> s.Expression:
        kind = self.type_name()
        self.expect(")")
        if self.token == "{":
            items = self.items()
            return self._postfix(s.Compound(self.completed(kind, items), items))
        return s.Cast(kind, self._unary())

    def _primary(self) -> s.Expression:
        token = self.take()
        if token == "(":
            inside = self.expression()
            self.expect(")")
            return inside
        if token and is_name(token):
            return s.Name(token)
        if token[:1] == '"':
            value = _text(token)
            while self.token[:1] == '"':
                value += _text(self.take())
            return s.Text(value)
        if token[:1] == "'":
            return s.Literal(_text(token)[0], INT)
        if token[:1].isdigit() or token[:1] == ".":
            return _number(token)
        self.at -= 1
        raise self.error(f"no expression begins with '{token}'")

    def _postfix(self, left: s.Expression) -> s.Expression:
        while True:
            token = self.token
            if token == "[":
                self.at += 1
                left = s.Index(left, self.expression())
                self.expect("]")
            elif token == "(":
                self.at += 1
                left = s.Call(left, self._arguments())
            elif token in (".", "->"):
                self.at += 1
                left = s.Member(left, self.take(), token == "->")
            elif token in ("++", "--"):
                self.at += 1
                left = s.Postfix(token, left)
            else:
                return left

    def _arguments(self) -> list[s.Expression]:
        arguments: list[s.Expression] = []
        while not self.accept(")"):
            arguments.append(self.assignment())
            if self.token != ")":
                self.expect(",")
        return arguments


def _text(token: str) -> bytes:
    """Contents of a string literal; C and Python use the same escapes."""
    return str(ast.literal_eval(f'"{token[1:-1]}"' if token[0] == "'" else token)).encode()


def _number(token: str) -> s.Literal:
    low = token.lower()
    if not low.startswith("0x") and any(c in low for c in ".ep"):
        return s.Literal(float(low.rstrip("fl")), FLOAT if low.endswith("f") else DOUBLE)
    digits = low.rstrip("ul")
    suffix, value = low[len(digits) :], int(digits, 16 if digits.startswith("0x") else 10)
    if "u" in suffix:
        return s.Literal(value, ULONG)
    return s.Literal(value, LONG if "l" in suffix or value > 0x7FFFFFFF else INT)
