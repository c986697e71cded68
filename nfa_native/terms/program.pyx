# distutils: language = c++
# cython: cdivision=True
"""Expression programs: SPARQL expressions in postfix form, run on registers of words without Python.

Operands that only pyoxigraph can judge make the answer "unknown" (2), unless another operand decides it alone.
"""

import numpy

from nfa_native.terms import operations

from nfa_native.terms.functions cimport add, apply_function, divide, multiply, subtract
from nfa_native.core.guard cimport created, guarded_number
from nfa_native.terms.literals cimport EPOCH, int128
from nfa_native.terms.operations cimport Op
from nfa_native.terms.values cimport (
    INCOMPARABLE, IS_ERROR, IS_FALSE, IS_TRUE, IS_UNKNOWN, KIND_ERROR, KIND_UNKNOWN, ORDER_UNKNOWN, Value, equal,
    is_exact, is_number, load, order, order_doubles, order_exact, same_term, set_truth, truth, word_of,
)
from nfa_native.terms.dictionary cimport (
    KIND_BLANK, KIND_DATETIME, KIND_DOUBLE, KIND_IRI, KIND_TYPED, MICROSECOND, UNBOUND, clear_scratch,
)


# ── logic ────────────────────────────────────────────────────────────────────────────────────────────────
cdef int combine(Value* operands, int count, int decisive, const TermStore* store) noexcept nogil:
    """|| (decisive: true) or && (decisive: false): one decisive operand decides whatever the others are."""
    cdef int result = 1 - decisive
    cdef int i, one
    for i in range(count):
        one = truth(&operands[i], store)
        if one == decisive:
            return decisive
        if one == IS_UNKNOWN or (one == IS_ERROR and result != IS_UNKNOWN):
            result = one
    return result


cdef int find(Value* operands, int count, const TermStore* store) noexcept nogil:
    """Whether the first of 1 + count operands equals one of the others."""
    cdef int result = IS_FALSE
    cdef int i, one
    if count == 0:
        return IS_UNKNOWN  # the recommendation says false, pyoxigraph an error
    for i in range(1, count + 1):
        one = equal(&operands[0], &operands[i], store)
        if one == IS_TRUE:
            return IS_TRUE
        if one == IS_UNKNOWN or (one == IS_ERROR and result != IS_UNKNOWN):
            result = one
    return result


cdef inline int invert(int one) noexcept nogil:
    return 1 - one if one == IS_TRUE or one == IS_FALSE else one


cdef inline void coalesce(Value* operands, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if operands[i].kind != KIND_ERROR:
            operands[0] = operands[i]
            return
    operands[0].kind = KIND_ERROR


cdef inline void choose(Value* operands, const TermStore* store) noexcept nogil:
    """IF: the second or the third operand."""
    cdef int condition = truth(&operands[0], store)
    if condition == IS_TRUE:
        operands[0] = operands[1]
    elif condition == IS_FALSE:
        operands[0] = operands[2]
    else:
        set_truth(operands, condition)


cdef inline int compare(Op op, Value* a, Value* b, const TermStore* store) noexcept nogil:
    """<, <=, > and >=."""
    cdef int sign
    if is_exact(a) and is_exact(b):
        sign = order_exact(a, b)
    elif a.kind == KIND_DOUBLE and b.kind == KIND_DOUBLE:
        sign = order_doubles(a.real, b.real)
    else:
        sign = order(a, b, store)
    if sign == INCOMPARABLE:
        return IS_ERROR
    if sign == ORDER_UNKNOWN:
        return IS_UNKNOWN
    if op == Op.LESS:
        return sign < 0
    if op == Op.LESS_EQUAL:
        return sign <= 0
    if op == Op.GREATER:
        return sign > 0
    return sign >= 0


cdef inline int classify(Op op, const Value* a) noexcept nogil:
    """isIRI, isBlank, isLiteral and isNumeric."""
    if a.kind == KIND_ERROR:
        return IS_ERROR
    if a.kind == KIND_UNKNOWN or (op == Op.IS_NUMERIC and a.kind == KIND_TYPED):
        return IS_UNKNOWN
    if op == Op.IS_IRI:
        return a.kind == KIND_IRI
    if op == Op.IS_BLANK:
        return a.kind == KIND_BLANK
    if op == Op.IS_LITERAL:
        return a.kind != KIND_IRI and a.kind != KIND_BLANK
    return is_number(a)


cdef inline void set_now(Value* a, int64_t now) noexcept nogil:
    a.kind = KIND_DATETIME
    a.word = UNBOUND
    a.zone = 0
    a.number = EPOCH + <int128>now * MICROSECOND


# ── execution ────────────────────────────────────────────────────────────────────────────────────────────
cdef inline int operand_count(Op op, int argument) noexcept nogil:
    """How many values an operation takes from the stack."""
    if op <= Op.NOW:
        return 0
    if op <= Op.SAME_TERM or (op >= Op.ADD and op <= Op.DIVIDE) or (op >= Op.CONTAINS and op <= Op.STRENDS):
        return 2
    if op == Op.AND or op == Op.OR or op == Op.COALESCE or op == Op.CONCAT:
        return argument
    if op == Op.IN or op == Op.NOT_IN:
        return argument + 1
    return 3 if op == Op.IF_ else 1


cdef void run(const Code* code, const word_t* registers, int64_t now, TermStore* store, Value* stack) noexcept nogil:
    """Leave the expression's value at the bottom of the stack."""
    cdef const Instruction* instruction = code.instructions.data()
    cdef const Instruction* end = instruction + code.instructions.size()
    cdef Value* a = stack
    cdef Op op
    cdef int argument
    if store.scratch.chunk or store.scratch.used:
        clear_scratch(store)
    while instruction != end:
        op = instruction.op
        argument = instruction.argument
        a -= instruction.operands
        instruction += 1
        if op == Op.LOAD:
            load(a, store, registers[argument])
        elif op == Op.CONSTANT:
            load(a, store, code.constants[argument])
        elif op == Op.BOUND:
            set_truth(a, registers[argument] != UNBOUND)
        elif op == Op.NOW:
            set_now(a, now)
        elif op == Op.EQUAL:
            set_truth(a, equal(a, a + 1, store))
        elif op == Op.NOT_EQUAL:
            set_truth(a, invert(equal(a, a + 1, store)))
        elif op == Op.LESS or op == Op.LESS_EQUAL or op == Op.GREATER or op == Op.GREATER_EQUAL:
            set_truth(a, compare(op, a, a + 1, store))
        elif op == Op.SAME_TERM:
            set_truth(a, same_term(a, a + 1, store))
        elif op == Op.NOT:
            set_truth(a, invert(truth(a, store)))
        elif op == Op.AND:
            set_truth(a, combine(a, argument, IS_FALSE, store))
        elif op == Op.OR:
            set_truth(a, combine(a, argument, IS_TRUE, store))
        elif op == Op.IN:
            set_truth(a, find(a, argument, store))
        elif op == Op.NOT_IN:
            set_truth(a, invert(find(a, argument, store)))
        elif op == Op.COALESCE:
            coalesce(a, argument)
        elif op == Op.IF_:
            choose(a, store)
        elif op == Op.IS_IRI or op == Op.IS_BLANK or op == Op.IS_LITERAL or op == Op.IS_NUMERIC:
            set_truth(a, classify(op, a))
        elif op == Op.ADD:
            add(a, a + 1)
        elif op == Op.SUBTRACT:
            subtract(a, a + 1)
        elif op == Op.MULTIPLY:
            multiply(a, a + 1)
        elif op == Op.DIVIDE:
            divide(a, a + 1)
        else:
            apply_function(op, a, argument, store)
        a += 1


cdef int test(const Code* code, const word_t* registers, int64_t now, TermStore* store) noexcept nogil:
    cdef Value stack[DEEPEST]
    run(code, registers, now, store, stack)
    return truth(stack, store)


cdef int compute(const Code* code, const word_t* registers, int64_t now, TermStore* store, word_t* out) noexcept nogil:
    cdef Value stack[DEEPEST]
    run(code, registers, now, store, stack)
    out[0] = UNBOUND
    if stack[0].kind == KIND_ERROR:
        return ERROR
    if stack[0].kind == KIND_UNKNOWN:
        return UNKNOWN
    out[0] = word_of(stack, store)
    return VALUE


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────
cdef class Program:
    """An expression in postfix form.

    ``instructions`` are pairs (Op, argument), ``constants`` words of ``terms``.  ValueError if they do not leave exactly one
    value, mention a constant that is not there, or need a deeper stack than 64 values.
    """

    def __cinit__(self, instructions, constants, Terms terms not None):
        self.terms = terms
        self.code = created[Code]()
        self.code.registers = 0
        for word in constants:
            self.code.constants.safe_push_back(word)
        self.load_instructions(list(instructions))

    def __dealloc__(self):
        del self.code

    def load_instructions(self, instructions: list) -> None:
        """Check and store the instructions."""
        cdef Instruction instruction
        cdef int depth = 0
        for op, argument in instructions:
            instruction.op = operations.Op(op)
            instruction.argument = argument
            if argument < 0 or (instruction.op == Op.CONSTANT and argument >= self.code.constants.size()):
                raise ValueError(f"argument {argument} of {operations.Op(op).name} is out of range")
            instruction.operands = operand_count(instruction.op, argument)
            depth -= instruction.operands
            if depth < 0:
                raise ValueError(f"{operations.Op(op).name} lacks operands")
            depth += 1
            if depth > DEEPEST:
                raise ValueError(f"the expression needs more than {DEEPEST} values at once")
            if instruction.op == Op.LOAD or instruction.op == Op.BOUND:
                self.code.registers = max(self.code.registers, <int32_t>(argument + 1))
            self.code.instructions.safe_push_back(instruction)
        if depth != 1:
            raise ValueError(f"the instructions leave {depth} values instead of one")

    @property
    def registers(self) -> int:
        """Number of registers that the program may read: one more than the largest it names."""
        return self.code.registers

    @property
    def instructions(self) -> list:
        """The instructions as pairs (Op, argument)."""
        return [
            (operations.Op(<int>self.code.instructions[i].op), self.code.instructions[i].argument)
            for i in range(self.code.instructions.size())
        ]

    @property
    def constants(self) -> list:
        """The words of the constants."""
        return [self.code.constants[i] for i in range(self.code.constants.size())]

    def _check(self, columns, now) -> None:
        if columns.shape[0] < self.code.registers or columns.shape[1] != now.shape[0]:
            raise ValueError(
                f"columns of shape {columns.shape} do not fit {self.code.registers} registers and {now.shape[0]} rows"
            )

    def test_rows(self, columns, now):
        """int8[n]: 1 true, 0 false, −1 error, 2 unknown for each of n rows.

        ``columns`` is uint64[registers or more, n], ``now`` int64[n] microseconds since 1970 (UTC).
        """
        self._check(columns, now)
        return run_rows(self, columns, now, None)

    def compute_rows(self, columns, now):
        """(uint64[n], int8[n]): words, UNBOUND where there is none, and 0 value, −1 error, 2 unknown; as `test_rows`."""
        self._check(columns, now)
        results = numpy.empty(now.shape[0], dtype=numpy.uint64)
        return results, run_rows(self, columns, now, results)


cdef object run_rows(Program program, const word_t[:, :] columns, const int64_t[:] now, word_t[::1] values):
    """What `test` says of each row, or `compute`, if there is room for its values."""
    answers = numpy.empty(now.shape[0], dtype=numpy.int8)
    cdef signed char[::1] out = answers
    cdef TermStore* store = program.terms.store
    cdef const Code* code = program.code
    cdef vector[word_t] row
    cdef Py_ssize_t i
    cdef int slot
    cdef bint computes = values is not None
    row.safe_resize(code.registers + 1)
    with nogil:
        for i in range(now.shape[0]):
            for slot in range(code.registers):
                row[slot] = columns[slot, i]
            if computes:
                out[i] = <signed char>guarded_number(
                    &store.broken, compute, code, row.data(), now[i], store, &values[i]
                )
            else:
                out[i] = <signed char>guarded_number(&store.broken, test, code, row.data(), now[i], store)
    return answers
