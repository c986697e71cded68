# From plans to machines.


cdef class Builder:
    """Writes the steps of one machine; `programs` keeps the code alive that they point to."""

    cdef Machine* machine
    cdef Terms terms
    cdef list programs
    cdef int32_t scope           # the one that is being written

    def __cinit__(self, Terms terms, list programs):
        self.terms = terms
        self.programs = programs

    cdef int32_t write(self, object plan, object output) except -1:
        """The whole machine."""
        cdef Machine* machine = self.machine
        cdef Step end
        machine.store = self.terms.store
        machine.registers.safe_assign(<size_t>plan.registers + 1, UNBOUND)
        for register, word in plan.constants:
            machine.registers[<int32_t>register] = word
        for register in output:
            machine.output.safe_push_back(plan.registers if register < 0 else register)
        machine.out.width = machine.output.size()
        memset(&end, 0, sizeof(Step))
        end.kind = EMIT
        return self.new_scope(plan.chain, end)

    cdef int32_t new_scope(self, object chain, Step end) except -1:
        cdef ScopeSpec scope
        cdef int32_t outside = self.scope
        cdef int32_t number = <int32_t>self.machine.scopes.size()
        cdef int32_t start
        self.machine.scopes.safe_push_back(scope)
        self.scope = number
        start = self.add_chain(chain, self.add(end))
        self.machine.scopes[number].start = start
        self.scope = outside
        return number

    cdef int32_t add(self, Step step) except -1:
        self.machine.steps.safe_push_back(step)
        return <int32_t>self.machine.steps.size() - 1

    cdef int32_t add_chain(self, object chain, int32_t next) except -1:
        """The number of the chain's first step."""
        for step in reversed(chain):
            next = self.add_step(step, next)
        return next

    cdef int32_t add_step(self, object step, int32_t next) except -1:
        cdef Step out
        memset(&out, 0, sizeof(Step))
        out.next = next
        if isinstance(step, plans.TripleScan):
            self.fill_match(step, &out)
        elif isinstance(step, plans.NativeTest):
            out.kind = TEST
            out.number = self.new_formula(step.condition)
        elif isinstance(step, plans.NativeAssign):
            out.kind = ASSIGN
            out.target = step.register
            out.number = self.new_formula(step.condition)
        elif isinstance(step, plans.Alternatives):
            out.kind = ALTERNATIVES
            out.number = self.new_branches(step.chains, next)
        elif isinstance(step, plans.Attempt):
            self.fill_attempt(step.chain, &out)
        else:
            out.kind = EXCLUDE if isinstance(step, plans.Exclude) else JOIN
            out.number = self.new_table(step.table)
        return self.add(out)

    cdef int fill_match(self, object step, Step* out) except -1:
        out.kind = MATCH
        out.subject = step.subject
        out.predicate = step.predicate
        out.object = step.object
        if out.subject == out.predicate:
            out.repeats |= SUBJECT_IS_PREDICATE
        if out.object == out.predicate:
            out.repeats |= OBJECT_IS_PREDICATE
        if out.object == out.subject:
            out.repeats |= OBJECT_IS_SUBJECT
        return 0

    cdef int fill_attempt(self, object chain, Step* out) except -1:
        cdef Step success
        memset(&success, 0, sizeof(Step))
        success.kind = SUCCESS
        success.next = out.next
        success.number = <int32_t>self.machine.reached.size()
        self.machine.reached.safe_push_back(False)
        out.kind = ATTEMPT
        out.number = success.number
        out.start = self.add_chain(chain, self.add(success))
        return 0

    cdef int32_t new_branches(self, object chains, int32_t next) except -1:
        cdef vector[int32_t] starts
        for chain in chains:
            starts.safe_push_back(self.add_chain(chain, next))
        self.machine.branches.safe_push_back(starts)
        return <int32_t>self.machine.branches.size() - 1

    cdef int32_t new_formula(self, object condition) except -1:
        cdef Formula formula
        cdef Question question
        cdef Step end
        memset(&end, 0, sizeof(Step))
        end.kind = FOUND
        fill_formula(&formula, condition, self.terms, self.programs)
        for asked in condition.asked:
            question.target = asked.register
            question.scope = self.new_scope(asked.chain, end)
            formula.asked.safe_push_back(question)
        self.machine.formulas.safe_push_back(formula)
        return <int32_t>self.machine.formulas.size() - 1

    cdef int32_t new_table(self, object plan) except -1:
        cdef TableSpec table
        cdef int32_t number = <int32_t>self.machine.tables.size()
        table.width = len(plan.registers)
        table.count = 0
        for register in plan.registers:
            table.registers.safe_push_back(register)
        table.saved.safe_assign(table.width, UNBOUND)
        if isinstance(plan, plans.Constants):
            for row in plan.rows:
                for word in row:
                    table.rows.safe_push_back(word)
            table.count = attempted_number(
                sort_rows, &table.rows, <size_t>0, <size_t>len(plan.rows), <size_t>table.width, &table.buffer
            )
        self.machine.tables.safe_push_back(table)
        if isinstance(plan, plans.Derived):
            self.fill_derived(plan.chain, number)
        return number

    cdef int fill_derived(self, object chain, int32_t number) except -1:
        """Its own tables come before it in the scope."""
        cdef Step end
        cdef int32_t start
        memset(&end, 0, sizeof(Step))
        end.kind = COLLECT
        end.number = number
        start = self.add_chain(chain, self.add(end))
        self.machine.scopes[self.scope].tables.safe_push_back(number)
        self.machine.scopes[self.scope].starts.safe_push_back(start)
        return 0


cdef int fill_formula(Formula* formula, object condition, Terms terms, list programs) except -1:
    """The code of a condition, and the comparison that it is if it is nothing else."""
    cdef Program program = Program(condition.instructions, condition.constants, terms)
    programs.append(program)
    formula.code = program.code
    formula.comparison = NO_COMPARISON
    if len(condition.instructions) != 3 or condition.instructions[2][0] not in SWAPPED:
        return 0
    (first, register), (second, number), (op, _) = condition.instructions
    if first == Op.CONSTANT and second == Op.LOAD:
        first, second, register, number, op = second, first, number, register, SWAPPED[op]
    if first != Op.LOAD or second != Op.CONSTANT:
        return 0
    if exact_number(terms.store, condition.constants[number], &formula.bound):
        formula.comparison = op
        formula.compared = register
    return 0


cdef int add_member(Machine* machine, object pattern, dict places, Terms terms, list programs) except -1:
    """A pattern on the rows of its base, in which register r is at ``places[r]``."""
    cdef MemberSpec member
    cdef Formula formula
    for register in pattern.base_output:
        member.positions.safe_push_back(places.get(register, -1))
    member.out.width = len(pattern.base_output)
    member.out.found = 0
    for condition in pattern.tests:
        moved = [(op, places[argument] if op in READING else argument) for op, argument in condition.instructions]
        fill_formula(&formula, dataclasses.replace(condition, instructions=tuple(moved)), terms, programs)
        member.tests.safe_push_back(formula)
    machine.members.safe_push_back(member)
    return 0


def shared_registers(patterns) -> list:
    """The base's registers that the patterns put out or test, in ascending order."""
    used = {register for pattern in patterns for register in pattern.base_output if register >= 0}
    for pattern in patterns:
        for condition in pattern.tests:
            used.update(argument for op, argument in condition.instructions if op in READING)
    return sorted(used)
