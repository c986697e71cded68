# Building the programs of conditions and computations.


cdef add_programs(Correlating* c, programs):
    """ValueError: one is none that `Condition` can follow."""
    c.own.safe_resize(programs.remembered, 0)
    for condition in programs.conditions:
        check_steps(condition, programs.remembered, (0, 1))
        c.conditions.safe_push_back(program(c, condition))
    for computation in programs.computations:
        check_steps(computation, programs.remembered, (1, 0))
        c.computations.safe_push_back(program(c, computation))
        c.computations.back().is_real = computation.is_real
        c.computations.back().turned = computation.turned


cdef Condition program(Correlating* c, condition):
    cdef Condition one
    for held in condition.held:
        one.held.safe_push_back(bool(held))
    c.rows.safe_resize(max(c.rows.size(), one.held.size()), NULL)
    for step in condition.instructions:
        if step.operation == Opcode.CONSTANT:
            one.safe_append_step(step.operation, 0, <uint32_t>c.constants.size())
            c.constants.safe_push_back(number_of(step.constant))
        else:
            one.safe_append_step(step.operation, step.variable, step.argument)
    return one


cdef Number number_of(constant):
    if constant is None:
        return unknown()
    return real(constant) if isinstance(constant, float) else integer(constant)


def check_steps(condition, remembered, result):
    """ValueError: steps do not leave so many numbers and truths, need deeper stacks, or load what is not there."""
    numbers = truths = 0
    for step in condition.instructions:
        taken, left = taken_and_left(step.operation)
        numbers, truths = numbers - taken[0], truths - taken[1]
        if min(numbers, truths) < 0:
            raise ValueError(f"{step} lacks operands")
        numbers, truths = numbers + left[0], truths + left[1]
        if max(numbers, truths) > DEEPEST:
            raise ValueError(f"a condition needs more than {DEEPEST} numbers at once")
        if is_load(step.operation) and not (
            0 <= step.variable < len(condition.held) and 0 <= step.argument < remembered
        ):
            raise ValueError(f"{step} loads what is not there")
    if (numbers, truths) != result:
        raise ValueError(f"the steps leave {numbers} numbers and {truths} truths, not {result}")


def is_load(operation):
    """Whether an operation reads a value of an event."""
    return operation in (Opcode.LOAD_INTEGER, Opcode.LOAD_REAL, Opcode.LOAD_TRUTH)


def taken_and_left(operation):
    """How many numbers and truths an operation takes, and how many it leaves."""
    if is_load(operation) or operation == Opcode.CONSTANT:
        return (0, 0), ((0, 1) if operation == Opcode.LOAD_TRUTH else (1, 0))
    if operation < Opcode.EQUAL:
        return (2, 0), (1, 0)
    if operation < Opcode.NOT:
        return (1 if operation == Opcode.IS_NULL else 2, 0), (0, 1)
    return (0, 1 if operation == Opcode.NOT else 2), (0, 1)
