"""Where there is no memory for more partial matches, that is an error, and not a run that never ends."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import resource
import numpy as np
from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.events.recognizer import Recognizer

states = (PickState((0,), initial=True, after=(0,)), PickState((1,), final=True, after=(0,)))
recognizer = Recognizer(ComplexEventAutomaton(states), forgets=False)
recognizer.know_symbols([1])
count = 1 << 20
symbols, starts = np.ones(count, np.uint32), np.zeros(count, np.int64)
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
try:
    while True:
        recognizer.feed(symbols, starts, starts)
except MemoryError as error:
    print(error)
"""


def test_there_is_an_error() -> None:
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout == "there is no room for more partial matches: a window would bound them\n"
    assert found.stderr == ""
