"""Translate C functions and statements to Python."""

from __future__ import annotations

from collections.abc import Callable

from inloop.errors import BuildError
from inloop.native.translated import syntax as s
from inloop.native.translated.c_types import (
    CHAR,
    Array,
    CType,
    Number,
    Pointer,
    Struct,
)
from inloop.native.translated.scope import Object, Scope
from inloop.native.translated.values import Place, Value, converted, number
from inloop.native.translated.walk import addressed, changed
from inloop.native.translated.write_expressions import ExpressionWriter

# creates a static local variable from its declaration
MakeStatic = Callable[[s.Variable, Scope], Object]


class StatementWriter(ExpressionWriter):
    """Writes the statements of one function, or initializers at file scope."""

    def __init__(self, scope: Scope, make_static: MakeStatic) -> None:
        super().__init__(scope)
        self.lines: list[str] = []
        self.returns: CType | None = None
        self._make_static = make_static
        self._depth = 0
        self._in_memory: set[str] = set()  # names of variables whose address is taken
        self._steps: list[s.Expression | None] = []  # executed first by `continue`

    def say(self, line: str) -> None:
        """Append one line."""
        self.lines.append("    " * self._depth + line)

    def by_itself(self, e: s.Expression) -> Value:
        """See `ExpressionWriter`."""
        before = len(self.lines)
        value = self.value(e)
        if len(self.lines) != before:
            raise BuildError("C text cannot be run as Python: an object that is made on condition")
        return value

    # functions

    def function(self, name: str, definition: s.Definition) -> list[str]:
        """The lines of a function."""
        self.scope = Scope(self.scope)
        self._in_memory = addressed(definition.body)
        self.returns = definition.returns
        self._depth = 1
        arguments = [self._take_argument(*argument) for argument in definition.arguments]
        self.statement(definition.body)
        stack = "sp" if self.frame else "fp"
        head = [f"def {name}({', '.join([*arguments, stack])}):"]
        if self.frame:
            head.append(f"    fp = sp + {-(-self.frame // 64) * 64}")
        return [*head, *(self.lines or ["    pass"])]

    def _take_argument(self, name: str, kind: CType) -> str:
        text = self.python_name(name or "unused")
        place = Place(kind, text, in_memory=False)
        if isinstance(kind, Struct):
            address = self.reserve(kind)
            self.say(f"{text} = m_copy({address}, {text}, {kind.size})")
            place = Place(kind, text)
        elif name in self._in_memory:
            place = Place(kind, self.reserve(kind))
            self.say(f"{place.entry} = {text}")
        self.scope.objects[name] = Object(kind, place.base, place.in_memory)
        return text

    # statements

    def statement(self, node: s.Statement) -> None:
        """Write one statement."""
        getattr(self, f"_write_{type(node).__name__.lower()}")(node)

    def _inside(self, node: s.Statement | None) -> None:
        """Write an indented block."""
        self._depth += 1
        before = len(self.lines)
        if node is not None:
            self.statement(node)
        if len(self.lines) == before:
            self.say("pass")
        self._depth -= 1

    def _write_block(self, node: s.Block) -> None:
        self.scope = Scope(self.scope)
        for statement in node.statements:
            self.statement(statement)
        assert self.scope.around is not None
        self.scope = self.scope.around

    def _write_declaration(self, node: s.Declaration) -> None:
        for variable in node.variables:
            if variable.static:
                self.scope.objects[variable.name] = self._make_static(variable, self.scope)
            else:
                self._declare(variable)

    def _declare(self, variable: s.Variable) -> None:
        name, kind, value = variable.name, variable.type, variable.value
        if isinstance(kind, Number | Pointer) and name not in self._in_memory:
            if isinstance(value, s.Items):
                value = _only(value)
            place = Place(kind, self.python_name(name), in_memory=False)
            self.scope.objects[name] = Object(kind, place.base, in_memory=False)
            if value is not None:
                self.say(f"{place.base} = {self.number(value, kind)}")
            return
        place = Place(kind, self.reserve(kind))
        self.scope.objects[name] = Object(kind, place.base, in_memory=True)
        if value is not None:
            self._begin_with(place, value)

    def _begin_with(self, place: Place, value: s.Initializer) -> None:
        for line in self.initialized(place, value, clear=True):
            self.say(line)

    def _write_evaluate(self, node: s.Evaluate) -> None:
        e = node.expression
        if isinstance(e, s.Sequence):
            for part in e.parts:
                self._write_evaluate(s.Evaluate(part))
        elif isinstance(e, s.Assignment):
            self._assign(e)
        elif isinstance(e, s.Postfix) or (isinstance(e, s.Unary) and e.sign in ("++", "--")):
            by = s.Literal(1, CHAR)
            self._assign(s.Assignment(e.sign[0], e.operand, by))
        elif isinstance(e, s.Cast):
            self._write_evaluate(s.Evaluate(e.operand))
        elif not isinstance(e, s.Name):
            self.say(self.value(e).text)

    def _assign(self, e: s.Assignment) -> None:
        if isinstance(e.value, s.Assignment) and not e.sign:
            # a = b = c: b first, then a from b, unless that would write or read twice
            text = self.value(e.value)
            place = self.place(e.target)
            if isinstance(place.type, Struct):
                self.say(f"m_copy({place.address}, {text.text}, {place.type.size})")
            else:
                self.say(f"{place.entry} = {converted(text, place.type).text}")
            return
        place, text_of_value = self.assigned(e)
        if isinstance(place.type, Struct):
            self.say(text_of_value)
        else:
            self.say(f"{place.entry} = {text_of_value}")

    def _write_if(self, node: s.If) -> None:
        self.say(f"if {self.condition(node.condition)}:")
        self._inside(node.yes)
        if node.no is not None:
            self.say("else:")
            self._inside(node.no)

    def _write_loop(self, node: s.Loop) -> None:
        self.scope = Scope(self.scope)
        counted = self._counted(node)
        if counted is not None:
            self.say(counted)
            self._steps.append(None)
            self._inside(node.body)
        else:
            if node.first is not None:
                self.statement(node.first)
            self._steps.append(node.step)
            always = node.condition is None or not node.checks_first
            asked = (
                "True" if always or node.condition is None else self.by_itself(node.condition).text
            )
            self.say(f"while {asked}:")
            self._inside(node.body)
            self._depth += 1
            if node.step is not None:
                self._write_evaluate(s.Evaluate(node.step))
            if not node.checks_first and node.condition is not None:
                self.say(f"if not {self.condition(node.condition)}:")
                self.say("    break")
            self._depth -= 1
        self._steps.pop()
        assert self.scope.around is not None
        self.scope = self.scope.around

    def _counted(self, node: s.Loop) -> str | None:
        """`for k in range(...)`, for a loop that counts up to a constant bound."""
        first, asked, step = node.first, node.condition, node.step
        if not (
            isinstance(first, s.Declaration)
            and len(first.variables) == 1
            and isinstance(asked, s.Binary)
            and asked.sign == "<"
            and isinstance(asked.left, s.Name)
            and isinstance(step, s.Postfix | s.Unary)
            and step.sign == "++"
            and isinstance(step.operand, s.Name)
        ):
            return None
        variable, changing = first.variables[0], changed(node.body)
        name = variable.name
        if asked.left.name != name or step.operand.name != name or name in changing:
            return None
        if name in self._in_memory or not self._stays(asked.right, changing):
            return None
        if not isinstance(variable.type, Number) or isinstance(variable.value, s.Items | None):
            return None
        begin = self.number(variable.value, variable.type)
        end = self.number(asked.right, variable.type)
        text = self.python_name(name)
        self.scope.objects[name] = Object(variable.type, text, False)
        return (
            f"for {text} in range({end}):"
            if begin == "0"
            else f"for {text} in range({begin}, {end}):"
        )

    def _stays(self, e: s.Expression, changing: set[str]) -> bool:
        """True if an expression keeps its value while these variables change."""
        if isinstance(e, s.Name):
            found = self.scope.find(e.name)
            return found is None or (not found.in_memory and e.name not in changing)
        if isinstance(e, s.Binary):
            return self._stays(e.left, changing) and self._stays(e.right, changing)
        return isinstance(e, s.Literal | s.SizeOf)

    def _write_jump(self, node: s.Jump) -> None:
        if node.word == "continue":
            step = self._steps[-1]
            if step is not None:
                self._write_evaluate(s.Evaluate(step))
        self.say(node.word)

    def _write_switch(self, node: s.Switch) -> None:
        chosen = self.python_name("chosen")
        self.say(f"{chosen} = {number(self.value(node.value)).text}")
        word = "if"
        for labels, statements in node.cases:
            last = statements[-1] if statements else None
            body = (
                statements[:-1] if isinstance(last, s.Jump) and last.word == "break" else statements
            )
            self._check_case(node, labels, last, body)
            if None in labels:
                self.say("else:" if word == "elif" else "if True:")
            else:
                tests = [f"{chosen} == {self.value(e).text}" for e in labels if e is not None]
                self.say(f"{word} {' or '.join(tests)}:")
            word = "elif"
            self._inside(s.Block(list(body)))

    @staticmethod
    def _check_case(
        node: s.Switch,
        labels: list[s.Expression | None],
        last: s.Statement | None,
        body: list[s.Statement],
    ) -> None:
        """Cases must not fall through, and the default must come last."""
        at_end = labels is node.cases[-1][0]
        if isinstance(last, s.Block) and last.statements:
            last = last.statements[-1]
        if (None in labels and not at_end) or not (at_end or isinstance(last, s.Jump | s.Return)):
            raise BuildError("C text cannot be run as Python: a case runs into the next one")
        if any(_breaks(statement) for statement in body):
            raise BuildError("C text cannot be run as Python: a break inside a case")

    def _write_return(self, node: s.Return) -> None:
        if node.value is None or self.returns is None:
            self.say("return")
            return
        self.say(f"return {self.number(node.value, self.returns)}")

    # initializers

    def nameless(self, kind: CType, items: s.Items) -> Place:
        """See `ExpressionWriter`."""
        place = Place(kind, self.reserve(kind))
        self._begin_with(place, items)
        return place

    def initialized(self, place: Place, value: s.Initializer, clear: bool) -> list[str]:
        """Statements that initialize an object; `clear` zeroes the rest."""
        if isinstance(value, s.Items) and isinstance(place.type, Array | Struct):
            lines = [f"L_memset({place.address}, 0, {place.type.size})"] if clear else []
            self._fill(place, list(value.entries), lines)
            return lines
        if isinstance(value, s.Items):
            value = _only(value)
        if isinstance(place.type, Struct):
            return [f"m_copy({place.address}, {self.value(value).text}, {place.type.size})"]
        if isinstance(place.type, Array) and isinstance(value, s.Text):
            return [f"m_copy({place.address}, m_text({value.value!r}), {len(value.value) + 1})"]
        return [f"{place.entry} = {self.number(value, place.type)}"]

    def _fill(
        self,
        place: Place,
        entries: list[tuple[str | s.Expression | None, s.Initializer]],
        lines: list[str],
    ) -> None:
        """Consume the entries that belong to an object; the others are left."""
        kind, at = place.type, 0
        parts = _parts(place)
        while entries and (at < len(parts) or entries[0][0] is not None):
            designator, value = entries[0]
            if isinstance(designator, str):
                assert isinstance(kind, Struct)
                at = list(kind.fields).index(designator)
            elif designator is not None:
                known = self.value(designator).known
                assert known is not None
                at = int(known)
            part = parts[at]
            at += 1
            if self._is_whole(part, value):
                entries.pop(0)
                lines += self.initialized(part, value, clear=False)
            else:  # without its own braces
                entries[0] = (None, value)
                self._fill(part, entries, lines)

    def _is_whole(self, part: Place, value: s.Initializer) -> bool:
        """Whether a value initializes the whole part, not its first entry."""
        if isinstance(value, s.Items) or not isinstance(part.type, Array | Struct):
            return True
        if isinstance(part.type, Array):
            return isinstance(value, s.Text)
        return isinstance(self.value(value).type, Struct)


def _parts(place: Place) -> list[Place]:
    kind = place.type
    if isinstance(kind, Array):
        size = kind.of.size
        return [Place(kind.of, place.base, place.offset + k * size) for k in range(kind.count)]
    assert isinstance(kind, Struct)
    return [Place(of, place.base, place.offset + at) for of, at in kind.fields.values()]


def _only(items: s.Items) -> s.Expression:
    (_, value), *_ = items.entries
    assert not isinstance(value, s.Items)
    return value


def _breaks(node: s.Statement) -> bool:
    """Whether it contains a break that would leave the switch."""
    if isinstance(node, s.Jump):
        return node.word == "break"
    if isinstance(node, s.Block):
        return any(_breaks(statement) for statement in node.statements)
    if isinstance(node, s.If):
        return _breaks(node.yes) or (node.no is not None and _breaks(node.no))
    return False
