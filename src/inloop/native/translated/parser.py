"""Parse declarations, functions and statements."""

from __future__ import annotations

from collections.abc import Callable

from inloop.errors import BuildError
from inloop.native.translated import syntax as s
from inloop.native.translated.c_types import (
    INT,
    SPELLED,
    VOID,
    Array,
    CType,
    Function,
    Number,
    Pointer,
    Struct,
)
from inloop.native.translated.parse_expressions import ExpressionParser
from inloop.native.translated.tokens import is_name

_IGNORED = ("const", "volatile", "restrict", "inline", "register", "static", "extern", "typedef")
_WORDS = ("void", "double", "float", "char", "short", "int", "long", "signed", "unsigned")
_TYPE_WORDS = frozenset((*_IGNORED, *_WORDS, "struct", "enum", "__attribute__"))
Wrap = Callable[[CType], CType]


class Parser(ExpressionParser):
    """Parses a file; types and enum constants are added to its scope."""

    def file_items(self) -> list[s.Definition | s.Declaration]:
        """Functions and variables of the file, in order."""
        found: list[s.Definition | s.Declaration] = []
        while self.token:
            if not self.accept(";"):
                item = self.declaration()
                if item is not None:
                    found.append(item)
        return found

    # types

    def begins_type(self) -> bool:
        """See `ExpressionParser`."""
        token = self.token
        return token in _TYPE_WORDS or (
            token != "" and is_name(token) and self.scope.type_named(token) is not None
        )

    def type_name(self) -> CType:
        """See `ExpressionParser`."""
        return self._declarator(self._specifiers()[0])[1]

    def _specifiers(self) -> tuple[CType, set[str]]:
        """The base type of a declaration, and its other specifiers."""
        about: set[str] = set()
        words: list[str] = []
        kind: CType | None = None
        while True:
            token = self.token
            if token in _IGNORED:
                about.add(self.take())
            elif token == "__attribute__":
                self._skip_attribute()
            elif token in _WORDS:
                words.append(self.take())
            elif token == "struct":
                self.at += 1
                kind = self._struct()
            elif token == "enum":
                self.at += 1
                self._enum()
                kind = INT
            elif kind is None and not words and is_name(token or "0"):
                kind = self.scope.type_named(self.take())
                if kind is None:
                    self.at -= 1
                    raise self.error(f"type '{token}' is not known")
            else:
                break
        if kind is None:
            # "long int" is "long"
            plain = sorted(w for w in words if w != "int" or len(words) == 1)
            kind = SPELLED.get(tuple(plain) or ("int",))
            if kind is None:
                raise self.error(f"type '{' '.join(words)}' is not known")
        return kind, about

    def _skip_attribute(self) -> None:
        self.at += 1
        depth = 0
        while True:
            token = self.take()
            depth += (token == "(") - (token == ")")
            if depth == 0:
                return

    def _struct(self) -> Struct:
        tag = self.take() if is_name(self.token) else ""
        known = self.scope.tagged(tag) if tag else None
        struct = known or Struct(tag)
        if tag and known is None:
            self.scope.tags[tag] = struct
        if self.accept("{"):
            if struct.fields:
                struct = self.scope.tags[tag] = Struct(tag)
            fields: list[tuple[str, CType]] = []
            while not self.accept("}"):
                base, _ = self._specifiers()
                while not self.accept(";"):
                    fields.append(self._declarator(base))
                    self.accept(",")
            struct.lay_out(fields)
        return struct

    def _enum(self) -> None:
        if is_name(self.token):
            self.at += 1
        if not self.accept("{"):
            return
        number = -1
        while not self.accept("}"):
            name = self.take()
            number = self.constant(self.conditional()) if self.accept("=") else number + 1
            self.scope.constants[name] = number
            self.accept(",")

    def _declarator(self, base: CType) -> tuple[str, CType]:
        """An optional name, and its type."""
        name, wrap = self._wrapped_declarator()
        return name, wrap(base)

    def _wrapped_declarator(self) -> tuple[str, Wrap]:
        stars = 0
        while self.token in ("*", "const", "volatile", "restrict", "__attribute__"):
            if self.token == "__attribute__":
                self._skip_attribute()
            else:
                stars += self.take() == "*"
        name = ""
        inner: Wrap = _as_it_is
        if self.token == "(" and self.tokens[self.at + 1] in ("*", "("):
            self.at += 1
            name, inner = self._wrapped_declarator()
            self.expect(")")
        elif self.token and is_name(self.token) and self.token not in _TYPE_WORDS:
            name = self.take()
        behind = self._behind_name()

        def wrap(kind: CType) -> CType:
            for _ in range(stars):
                kind = Pointer(kind)
            return inner(behind(kind))

        return name, wrap

    def _behind_name(self) -> Wrap:
        """Array sizes, or function parameters."""
        if self.token == "[":
            self.at += 1
            while self.token in ("static", "const", "restrict"):
                self.at += 1
            count = -1 if self.token == "]" else self.constant(self.conditional())
            self.expect("]")
            rest = self._behind_name()
            return lambda kind: Array(rest(kind), count)
        if self.token == "(":
            self.at += 1
            arguments = self._parameters()
            self.parameters = arguments
            types = tuple(kind for _, kind in arguments)
            return lambda kind: Function(kind, types)
        while self.token == "__attribute__":
            self._skip_attribute()
        return _as_it_is

    def _parameters(self) -> list[tuple[str, CType]]:
        found: list[tuple[str, CType]] = []
        while not self.accept(")"):
            base, _ = self._specifiers()
            name, kind = self._declarator(base)
            if isinstance(kind, Array):
                kind = Pointer(kind.of)
            if isinstance(kind, Function):
                kind = Pointer(kind)
            if kind is not VOID:
                found.append((name, kind))
            self.accept(",")
        return found

    # declarations

    def declaration(self) -> s.Definition | s.Declaration | None:
        """Types are added to the scope; functions without a body too, by the writer."""
        base, about = self._specifiers()
        if self.accept(";"):
            return None
        variables: list[s.Variable] = []
        while True:
            name, kind = self._declarator(base)
            parameters = self.parameters if isinstance(kind, Function) else []
            if self.token == "{" and isinstance(kind, Function):
                return s.Definition(name, kind.returns, parameters, self.block(), "static" in about)
            while self.token == "__attribute__":
                self._skip_attribute()
            if "typedef" in about:
                self._name_type(name, kind)
            else:
                value = self.initializer() if self.accept("=") else None
                kind = self.completed(kind, value)
                variables.append(
                    s.Variable(
                        name,
                        kind,
                        value,
                        "static" in about,
                        "extern" in about or isinstance(kind, Function),
                        "const" in about and isinstance(kind, Number),
                    )
                )
            if self.accept(";"):
                return s.Declaration(variables) if variables else None
            self.expect(",")

    def _name_type(self, name: str, kind: CType) -> None:
        self.scope.types[name] = kind
        if isinstance(kind, Struct) and not kind.name:
            kind.name = name

    def completed(self, kind: CType, value: s.Initializer | None) -> CType:
        """See `ExpressionParser`."""
        if not isinstance(kind, Array) or kind.count >= 0:
            return kind
        if isinstance(value, s.Text):
            return Array(kind.of, len(value.value) + 1)
        if not isinstance(value, s.Items):
            return kind
        at = most = 0
        for designator, _ in value.entries:
            if designator is not None and not isinstance(designator, str):
                at = self.constant(designator)
            at += 1
            most = max(most, at)
        return Array(kind.of, most)

    def initializer(self) -> s.Initializer:
        """What a variable begins with."""
        return self.items() if self.token == "{" else self.assignment()

    def items(self) -> s.Items:
        """See `ExpressionParser`."""
        self.expect("{")
        entries: list[tuple[str | s.Expression | None, s.Initializer]] = []
        while not self.accept("}"):
            designator: str | s.Expression | None = None
            if self.accept("["):
                designator = self.conditional()
                self.expect("]")
                self.expect("=")
            elif self.token == "." and is_name(self.tokens[self.at + 1]):
                self.at += 1
                designator = self.take()
                self.expect("=")
            entries.append((designator, self.initializer()))
            if self.token != "}":
                self.expect(",")
        return s.Items(entries)

    def constant(self, e: s.Expression) -> int:
        """The value of an integer constant expression."""
        if isinstance(e, s.Literal):
            return int(e.value)
        if isinstance(e, s.Name) and (known := self.scope.constant(e.name)) is not None:
            return known
        if isinstance(e, s.Unary) and e.sign in ("-", "+", "~"):
            value = self.constant(e.operand)
            return -value if e.sign == "-" else ~value if e.sign == "~" else value
        if isinstance(e, s.Cast):
            return self.constant(e.operand)
        if isinstance(e, s.SizeOf) and not isinstance(e.of, s.Expression):
            return e.of.size
        if isinstance(e, s.Choice):
            return self.constant(e.yes if self.constant(e.condition) else e.no)
        if isinstance(e, s.Binary):
            a, b = self.constant(e.left), self.constant(e.right)
            return fold(e.sign, a, b)
        raise self.error("an integer that is known beforehand is missing")

    # statements

    def block(self) -> s.Block:
        """Statements in braces."""
        self.expect("{")
        found: list[s.Statement] = []
        while not self.accept("}"):
            found += self._statements()
        return s.Block(found)

    def _statements(self) -> list[s.Statement]:
        """One statement or declaration; a declaration may declare only types."""
        if self.token == ";":
            self.at += 1
            return []
        if self.begins_type():
            declared = self.declaration()
            if isinstance(declared, s.Definition):
                raise self.error("a function is defined within another one")
            return [] if declared is None else [declared]
        return [self.statement()]

    def statement(self) -> s.Statement:
        """One statement."""
        token = self.token
        special = {
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "do": self._do,
            "switch": self._switch,
            "return": self._return,
        }.get(token)
        if special is not None:
            self.at += 1
            return special()
        if token == "{":
            return self.block()
        if self.accept(";"):
            return s.Block([])
        if token in ("break", "continue"):
            self.at += 1
            self.expect(";")
            return s.Jump(token)
        if token == "goto":
            raise self.error("goto is not known")
        found = self.expression()
        self.expect(";")
        return s.Evaluate(found)

    def _bracketed(self) -> s.Expression:
        self.expect("(")
        found = self.expression()
        self.expect(")")
        return found

    def _if(self) -> s.Statement:
        condition, yes = self._bracketed(), self.statement()
        return s.If(condition, yes, self.statement() if self.accept("else") else None)

    def _while(self) -> s.Statement:
        return s.Loop(None, self._bracketed(), None, self.statement())

    def _do(self) -> s.Statement:
        body = self.statement()
        self.expect("while")
        condition = self._bracketed()
        self.expect(";")
        return s.Loop(None, condition, None, body, checks_first=False)

    def _for(self) -> s.Statement:
        self.expect("(")
        first: s.Statement | None = None
        if self.begins_type():
            declared = self.declaration()
            assert isinstance(declared, s.Declaration)
            first = declared
        elif not self.accept(";"):
            first = s.Evaluate(self.expression())
            self.expect(";")
        condition = None if self.token == ";" else self.expression()
        self.expect(";")
        step = None if self.token == ")" else self.expression()
        self.expect(")")
        return s.Loop(first, condition, step, self.statement())

    def _switch(self) -> s.Statement:
        value = self._bracketed()
        cases: list[tuple[list[s.Expression | None], list[s.Statement]]] = []
        self.expect("{")
        while not self.accept("}"):
            if self.token in ("case", "default"):
                label = self.conditional() if self.take() == "case" else None
                self.expect(":")
                if cases and not cases[-1][1]:
                    cases[-1][0].append(label)
                else:
                    cases.append(([label], []))
            else:
                cases[-1][1].extend(self._statements())
        return s.Switch(value, cases)

    def _return(self) -> s.Statement:
        value = None if self.token == ";" else self.expression()
        self.expect(";")
        return s.Return(value)


def fold(sign: str, a: int, b: int) -> int:
    """An operation on constant integers."""
    match sign:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if b != 0:
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "|":
            return a | b
        case "&":
            return a & b
        case "<":
            return int(a < b)
        case ">":
            return int(a > b)
        case "==":
            return int(a == b)
    raise BuildError(f"'{a} {sign} {b}' is not known beforehand")


def _as_it_is(kind: CType) -> CType:
    return kind
