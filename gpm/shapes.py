"""Patterns ready to be evaluated next to one version of the background."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias
from weakref import WeakKeyDictionary

from gpm.algebra import Element, Group, Optional
from gpm.core import Core, KnowledgeStore, check_calls, make_core
from gpm.decomposition import optional_parts, required_part, split
from gpm.entailment import rewrite_entailed
from gpm.errors import PatternError
from gpm.interning import TransientTerms
from gpm.knowledge import Knowledge
from gpm.native.assembly import Encoder
from gpm.native_plan import compile_native
from gpm.native_steps import NativePattern, Reason
from gpm.scope import NONE, Names, in_scope, mentioned
from gpm.steps import Step, make_step
from gpm.subjects import subjects_are_local

Summary: TypeAlias = tuple[tuple[int, int, int], ...]


class Mode(Enum):
    """How graph patterns are evaluated; the values are those of the command line.

    AUTO: natively where the native subset suffices, else by pyoxigraph.  NATIVE: a pattern outside the native subset is
    an error.  PYOXIGRAPH: nothing natively.  VERIFY: both, and an error where they differ.
    """

    AUTO = "auto"
    NATIVE = "native"
    PYOXIGRAPH = "pyoxigraph"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PatternShape:
    """A pattern with canonical names and the variables asked for; an evaluator has one for all patterns equal to it.

    What is made of it goes with it.
    """

    group: Group
    variables: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PreparedShape:
    """What is done for a shape: its core, ``group``, on the events' graphs, then ``steps`` on tables.

    ``columns`` are those of the core's solutions.  ``native`` is the core for the native solver, or the reason why that
    does not know it; then only events on which ``required`` has a solution can have rows (None: all can).  ``told`` are
    the predicates that are looked at in texts; None: all.
    """

    group: Group
    columns: tuple[str, ...]
    native: NativePattern | Reason
    required: NativePattern | None
    steps: tuple[Step, ...]
    told: TransientTerms | None
    known_core: Core | None = None

    @cached_property
    def core(self) -> Core:
        """The core for pyoxigraph; of a native one it is made when an operand asks for it."""
        return self.known_core or make_core(self.group, self.columns)

    def let_be_read(self, encoder: Encoder) -> None:
        """Let the triples that the shape can use be read from now on, or stay in texts that go elsewhere."""
        for summary, subjects in self.wants:
            encoder.want(summary, subjects)
        encoder.want_texts(self.texts)

    @property
    def texts(self) -> list[int] | None:
        """The words of the predicates that are looked at in texts; None: all."""
        return None if self.told is None else self.told.words.tolist()

    @cached_property
    def wants(self) -> list[tuple[Summary, bool]]:
        """The triples that native patterns can use, and whether their subjects must be known outside of their event."""
        found = []
        if isinstance(self.native, NativePattern):
            found.append((self.native.summary, not subjects_are_local(self.group, self.columns)))
        if self.required is not None:
            local = subjects_are_local(required_part(self.group), self.required.columns)
            found.append((self.required.summary, not local))
        return found

    @property
    def route(self) -> str:
        """How the events' part of the pattern is evaluated, and why, for people."""
        if not isinstance(self.native, Reason):
            return "native"
        first = "" if self.required is None else ", where the triples that it requires are found natively"
        return f"pyoxigraph, {self.core.route.value}{first}: {self.native.text}"


class Version:
    """What is made of patterns next to one version of the background."""

    def __init__(self, knowledge: Knowledge, encoder: Encoder, mode: Mode) -> None:
        self.knowledge = knowledge
        self.store = KnowledgeStore(knowledge.background)
        self._encoder = encoder
        self._mode = mode
        self._shapes: WeakKeyDictionary[PatternShape, PreparedShape] = WeakKeyDictionary()

    def on(self, encoder: Encoder) -> Version:
        """The same for an encoder whose table of terms lies on this one's: what is prepared here is so there."""
        other = Version(self.knowledge.on(encoder.terms), encoder, self._mode)
        other._shapes = self._shapes.copy()
        for prepared in other._shapes.values():
            prepared.let_be_read(encoder)
        return other

    def all_prepared(self) -> list[PreparedShape]:
        """What is made of all shapes that there are."""
        return list(self._shapes.values())

    def _told(self, predicates: Names | None) -> TransientTerms | None:
        """The words of predicates; None: all."""
        if predicates is None:
            return None
        kept = TransientTerms(self._encoder.terms)
        kept.intern_all(b"I" + name.encode() for name in sorted(predicates))
        return kept

    def prepared(self, shape: PatternShape) -> PreparedShape:
        """How a shape is evaluated.  PatternError: it cannot be."""
        if shape not in self._shapes:
            self._shapes[shape] = self._prepare(shape)
            self._shapes[shape].let_be_read(self._encoder)
        return self._shapes[shape]

    def _prepare(self, shape: PatternShape) -> PreparedShape:
        schema = self.knowledge.background.schema
        group = shape.group if schema is None else rewrite_entailed(shape.group, schema)
        core, tail = split(group)
        used = [frozenset(shape.variables), mentioned(core), *map(mentioned, tail)]
        steps = [
            make_step(element, frozenset().union(*used[: n + 2], *used[n + 3 :], _conditions(element)), self.knowledge)
            for n, element in enumerate(tail)
        ]
        if any(step is None for step in steps):  # too much knowledge to hold: look at it event by event
            core, tail, steps = group, (), []
        needed = frozenset(shape.variables).union(*map(mentioned, tail))
        columns = tuple(sorted(needed & in_scope(core)))
        native = self._native(core, columns)
        required = self._required(core, shape.variables) if isinstance(native, Reason) else None
        kept = tuple(step for step in steps if step is not None)
        if isinstance(native, Reason):
            known = make_core(core, columns)  # what pyoxigraph does not know is an error now
            return PreparedShape(core, columns, native, required, kept, self._told(known.predicates), known)
        check_calls(core)
        return PreparedShape(core, columns, native, required, kept, self._told(frozenset()))

    def _native(self, core: Group, columns: tuple[str, ...]) -> NativePattern | Reason:
        """The core for the solver."""
        if self._mode is Mode.PYOXIGRAPH:
            return Reason("so it was asked")
        native = compile_native(core, columns, self._encoder.terms)
        if isinstance(native, Reason) and self._mode is Mode.NATIVE:
            raise PatternError(f"the graph pattern cannot be evaluated natively: {native.text}")
        return native

    def _required(self, core: Group, variables: tuple[str, ...]) -> NativePattern | None:
        """What of a core outside the native subset can be asked natively first, with those of the variables in it."""
        part = required_part(core)
        columns = tuple(name for name in variables if name in in_scope(part))
        native = self._native(part, columns) if part.elements and self._mode is Mode.AUTO else None
        return None if isinstance(native, Reason) else native


def _conditions(element: Element) -> Names:
    """The variables that an element's own filters see in its table."""
    return mentioned(optional_parts(element)[1]) if isinstance(element, Optional) else NONE
