"""Translate C expressions to Python."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable
from typing import Any

from inloop.errors import BuildError
from inloop.native.translated import syntax as s
from inloop.native.translated.c_library import FUNCTIONS, SPECIAL
from inloop.native.translated.c_types import (
    DOUBLE,
    INT,
    LONG,
    TEXT,
    ULONG,
    VOID,
    Array,
    CType,
    Function,
    Number,
    Pointer,
    Struct,
    common,
    promoted,
)
from inloop.native.translated.scope import Object, Scope
from inloop.native.translated.values import (
    Place,
    Value,
    converted,
    divided,
    literal,
    loaded,
    number,
)

_FOLDED: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_SAYS_YES_OR_NO = ("isfinite", "isnan")
_ALIGNMENT = 16  # alignment of objects on the stack [bytes]


class ExpressionWriter:
    """Writes the expressions of one function, or at file scope.

    Attributes:
        scope: the current scope.
        frame: stack frame of the function so far [bytes].
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.frame = 0
        self._taken: set[str] = {"sp", "fp"}

    # names

    def python_name(self, name: str) -> str:
        """A name that is unique in this function."""
        base = f"{name}_" if keyword.iskeyword(name) or name[:2] in ("L_", "M_", "m_") else name
        base = f"{base}_" if base in ("F", "float") or base[:2] in ("c_", "g_") else base
        found, k = base, 1
        while found in self._taken:
            k += 1
            found = f"{base}_{k}"
        self._taken.add(found)
        return found

    def reserve(self, kind: CType) -> str:
        """Allocate memory on the stack; returns its address."""
        if kind.size < 0:
            raise BuildError("C text cannot be run as Python: an array of unknown length")
        at = -(-self.frame // _ALIGNMENT) * _ALIGNMENT
        self.frame = at + max(kind.size, 1)
        return f"(sp + {at})" if at else "sp"

    def nameless(self, kind: CType, items: s.Items) -> Place:
        """An unnamed object."""
        raise NotImplementedError

    def find(self, name: str) -> Object:
        """A variable or function."""
        found = self.scope.find(name)
        if found is None:
            raise BuildError(f"C text cannot be run as Python: '{name}' is not declared")
        return found

    # values

    def value(self, e: s.Expression) -> Value:
        """The value of an expression."""
        writer = getattr(self, f"_{type(e).__name__.lower()}")
        found = writer(e)
        assert isinstance(found, Value)
        return found

    def by_itself(self, e: s.Expression) -> Value:
        """The value of an expression that may be evaluated never, or more than once."""
        return self.value(e)

    def number(self, e: s.Expression, kind: CType) -> str:
        """The value of an expression, converted to a type."""
        return converted(self.value(e), kind).text

    def condition(self, e: s.Expression) -> str:
        """As a Python condition; Python numbers have the same truth values as in C."""
        return self.value(e).text

    def _literal(self, e: s.Literal) -> Value:
        return literal(e.value, e.type)

    def _text(self, e: s.Text) -> Value:
        return Value(f"m_text({e.value!r})", TEXT)

    def _name(self, e: s.Name) -> Value:
        if e.name in SPECIAL:
            return Value(SPECIAL[e.name], DOUBLE)
        if self.scope.find(e.name) is None:
            known = self.scope.constant(e.name)
            if known is not None:
                return literal(known, INT if abs(known) < 1 << 31 else LONG)
        return loaded(self.place(e))

    def _index(self, e: s.Index) -> Value:
        return loaded(self.place(e))

    def _member(self, e: s.Member) -> Value:
        return loaded(self.place(e))

    def _compound(self, e: s.Compound) -> Value:
        return loaded(self.nameless(e.type, e.items))

    def _sequence(self, e: s.Sequence) -> Value:
        *first, last = [self.value(part) for part in e.parts]
        texts = ", ".join(v.text for v in (*first, last))
        return Value(f"({texts})[-1]", last.type)

    def _cast(self, e: s.Cast) -> Value:
        value = self.value(e.operand)
        return value if e.type is VOID else converted(value, e.type)

    def _sizeof(self, e: s.SizeOf) -> Value:
        kind = self.type_of(e.of) if isinstance(e.of, s.Expression) else e.of
        return literal(kind.size, ULONG)

    def type_of(self, e: s.Expression) -> CType:
        """The type of an expression that is not evaluated; arrays do not decay."""
        if isinstance(e, s.Name | s.Index | s.Member) or (isinstance(e, s.Unary) and e.sign == "*"):
            return self.place(e).type
        return self.value(e).type

    def _choice(self, e: s.Choice) -> Value:
        yes, no = number(self.by_itself(e.yes)), number(self.by_itself(e.no))
        kind = yes.type
        if isinstance(yes.type, Number) and isinstance(no.type, Number):
            kind = common(yes.type, no.type)
            yes, no = converted(yes, kind), converted(no, kind)
        elif not isinstance(kind, Pointer | Struct) or yes.known == 0:
            kind = no.type
        return Value(f"({yes.text} if {self.condition(e.condition)} else {no.text})", kind)

    # operators

    def _unary(self, e: s.Unary) -> Value:
        if e.sign == "&":
            return self._address_of(e.operand)
        if e.sign == "*":
            return loaded(self.place(e))
        if e.sign == "!":
            return Value(f"(not {self.condition(e.operand)})", INT, truth=True)
        if e.sign in ("++", "--"):
            return self._stepped(e.operand, e.sign, after=True)
        value = number(self.value(e.operand))
        assert isinstance(value.type, Number)
        kind = promoted(value.type)
        if e.sign == "+":
            return converted(value, kind)
        if value.known is not None:
            known = -value.known if e.sign == "-" else ~int(value.known)
            return converted(Value("", LONG if not kind.real else DOUBLE, known=known), kind)
        text = f"(~{value.text})" if e.sign == "~" else f"(-{value.text})"
        return self._fitted(text, kind)

    def _address_of(self, e: s.Expression) -> Value:
        place = self.place(e)
        kind = place.type
        return Value(place.address, Pointer(kind))

    @staticmethod
    def _fitted(text: str, kind: Number) -> Value:
        """The result of arithmetic; unsigned integers wrap, others never need to."""
        if kind.real or kind.signed:
            return Value(text, kind)
        return Value(f"({text} & {(1 << 8 * kind.size) - 1:#x})", kind)

    def _binary(self, e: s.Binary) -> Value:
        sign = e.sign
        if sign in ("&&", "||"):
            word = "and" if sign == "&&" else "or"
            text = f"({self.condition(e.left)} {word} {self.by_itself(e.right).text})"
            return Value(text, INT, truth=True)
        a, b = number(self.value(e.left)), number(self.value(e.right))
        if sign in _COMPARISONS:
            return self._compared(sign, a, b)
        return self.combined(sign, a, b)

    def _compared(self, sign: str, a: Value, b: Value) -> Value:
        if isinstance(a.type, Number) and isinstance(b.type, Number):
            kind = common(a.type, b.type)
            if not kind.real:  # Python compares mixed integers by value
                a, b = converted(a, kind), converted(b, kind)
        return Value(f"({a.text} {sign} {b.text})", INT, truth=True)

    def combined(self, sign: str, a: Value, b: Value) -> Value:
        """Arithmetic on two values."""
        if isinstance(a.type, Pointer) or isinstance(b.type, Pointer):
            return self._moved_pointer(sign, a, b)
        if sign in ("<<", ">>"):
            assert isinstance(a.type, Number)
            return self._shifted(sign, converted(a, promoted(a.type)), b)
        kind = common(a.type, b.type)
        a, b = converted(a, kind), converted(b, kind)
        if sign in _FOLDED and a.known is not None and b.known is not None and not kind.real:
            return converted(Value("", LONG, known=_FOLDED[sign](a.known, b.known)), kind)
        if sign == "/":
            return divided(a, b, kind)
        if sign == "%":
            return Value(f"L_remainder({a.text}, {b.text})", kind)
        return self._fitted(f"({a.text} {sign} {b.text})", kind)

    @staticmethod
    def _shifted(sign: str, a: Value, b: Value) -> Value:
        kind = a.type
        assert isinstance(kind, Number)
        if sign == ">>":
            return Value(f"({a.text} >> {b.text})", kind)
        return converted(Value(f"({a.text} << {b.text})", Number("", 99)), kind)

    @staticmethod
    def _moved_pointer(sign: str, a: Value, b: Value) -> Value:
        if isinstance(a.type, Pointer) and isinstance(b.type, Pointer):
            return Value(f"(({a.text} - {b.text}) // {a.type.to.size})", LONG)
        if isinstance(b.type, Pointer):
            a, b = b, a
        assert isinstance(a.type, Pointer)
        return Value(f"({a.text} {sign} {_times(b, a.type.to.size)})", a.type)

    # lvalues

    def place(self, e: s.Expression) -> Place:
        """The location denoted by an expression."""
        if isinstance(e, s.Name):
            found = self.find(e.name)
            if isinstance(found.type, Function):
                return Place(found.type, f"m_address({found.text})")
            return Place(found.type, found.text, in_memory=found.in_memory)
        if isinstance(e, s.Unary) and e.sign == "*":
            pointer = self.value(e.operand)
            return self._target(pointer)
        if isinstance(e, s.Index):
            return self._element(e)
        if isinstance(e, s.Member):
            return self._field(e)
        if isinstance(e, s.Compound):
            return self.nameless(e.type, e.items)
        value = self.value(e)
        if isinstance(value.type, Struct):
            return Place(value.type, value.text)
        raise BuildError(f"C text cannot be run as Python: {type(e).__name__} has no place")

    @staticmethod
    def _target(pointer: Value) -> Place:
        if not isinstance(pointer.type, Pointer):
            raise BuildError(f"C text cannot be run as Python: no pointer: '{pointer.text}'")
        return Place(pointer.type.to, pointer.text)

    def _element(self, e: s.Index) -> Place:
        index = number(self.value(e.index))
        # the offset of a field is added to that of the element
        whole = self._array_place(e.array)
        if whole is not None:
            kind, base, offset = whole.type, whole.base, whole.offset
            assert isinstance(kind, Array)
            of = kind.of
        else:
            first = self._target(self.value(e.array))
            of, base, offset = first.type, first.base, 0
        if index.known is not None:
            return Place(of, base, offset + int(index.known) * of.size)
        return Place(of, f"({base} + {_times(index, of.size)})", offset)

    def _array_place(self, e: s.Expression) -> Place | None:
        if isinstance(e, s.Name | s.Member | s.Index):
            place = self.place(e)
            if isinstance(place.type, Array):
                return place
        return None

    def _field(self, e: s.Member) -> Place:
        of = self._target(self.value(e.of)) if e.by_pointer else self.place(e.of)
        if not isinstance(of.type, Struct):
            raise BuildError(f"C text cannot be run as Python: '{e.name}' of what is not a struct")
        kind, at = of.type.find(e.name)
        return Place(kind, of.base, of.offset + at)

    # side effects

    def _assignment(self, e: s.Assignment) -> Value:
        place, value = self.assigned(e)
        if isinstance(place.type, Struct):
            return Value(value, place.type)
        if not place.in_memory:
            return Value(f"({place.base} := {value})", place.type)
        view, at = place.view
        return Value(f"m_put({view}, {at}, {value})", place.type)

    def assigned(self, e: s.Assignment) -> tuple[Place, str]:
        """Target and value of an assignment; a struct is written by its value expression."""
        place = self.place(e.target)
        if isinstance(place.type, Struct):
            source = self.value(e.value)
            return place, f"m_copy({place.address}, {source.text}, {place.type.size})"
        value = self.value(e.value)
        if e.sign:
            if ":=" in place.base or "m_put" in place.base or "m_bump" in place.base:
                raise BuildError("C text cannot be run as Python: a place that changes by itself")
            value = self.combined(e.sign, loaded(place), number(value))
        return place, converted(value, place.type).text

    def _postfix(self, e: s.Postfix) -> Value:
        return self._stepped(e.operand, e.sign, after=False)

    def _stepped(self, e: s.Expression, sign: str, after: bool) -> Value:
        """++ or --; returns the value after or before it."""
        place = self.place(e)
        by = _step(place.type) * (1 if sign == "++" else -1)
        if place.in_memory:
            view, at = place.view
            old = f"m_bump({view}, {at}, {by})"
            return Value(f"({old} + {by})" if after else old, place.type)
        new = f"({place.base} := {place.base} + {by})"
        return Value(new if after else f"({new} - {by})", place.type)

    # calls

    def _call(self, e: s.Call) -> Value:
        if isinstance(e.function, s.Name) and self.scope.find(e.function.name) is None:
            return self._library_call(e.function.name, e.arguments)
        kind, callee = self._callee(e.function)
        if len(e.arguments) != len(kind.arguments):
            raise BuildError(f"C text cannot be run as Python: {callee} takes other arguments")
        pairs = zip(e.arguments, kind.arguments, strict=True)
        texts = [self._argument(argument, wanted) for argument, wanted in pairs]
        text = f"{callee}({', '.join([*texts, 'fp'])})"
        return Value(text, kind.returns, temporary=isinstance(kind.returns, Struct))

    def _callee(self, e: s.Expression) -> tuple[Function, str]:
        if isinstance(e, s.Name):
            found = self.find(e.name)
            if isinstance(found.type, Function):
                return found.type, found.text
        if isinstance(e, s.Unary) and e.sign == "*":
            e = e.operand
        value = self.value(e)
        kind = value.type.to if isinstance(value.type, Pointer) else value.type
        if not isinstance(kind, Function):
            raise BuildError(f"C text cannot be run as Python: '{value.text}' is not a function")
        return kind, f"F[{value.text}]"

    def _argument(self, e: s.Expression, kind: CType) -> str:
        value = converted(self.value(e), kind)
        if value.temporary:  # the next call may overwrite its memory
            return f"m_copy({self.reserve(kind)}, {value.text}, {kind.size})"
        return value.text

    def _library_call(self, name: str, arguments: list[s.Expression]) -> Value:
        if name in ("UINT64_C", "INT64_C"):
            return converted(self.value(arguments[0]), ULONG if name[0] == "U" else LONG)
        if name not in FUNCTIONS:
            raise BuildError(
                f"C text cannot be run as Python: function '{name}' is not known",
                fix="A C compiler knows it: pip install inloop[cc].",
            )
        returns, types, _ = FUNCTIONS[name]
        pairs = zip(arguments, types, strict=True)
        texts = ", ".join(self.number(argument, kind) for argument, kind in pairs)
        return Value(f"L_{name}({texts})", returns, truth=name in _SAYS_YES_OR_NO)


def _times(index: Value, size: int) -> str:
    if index.known is not None:
        return repr(int(index.known) * size)
    return index.text if size == 1 else f"{size} * {index.text}"


def _step(kind: CType) -> int:
    return kind.to.size if isinstance(kind, Pointer) else 1
