"""Which columns of a table have its edges, by the usual names of such columns."""

from __future__ import annotations

from collections.abc import Sequence

Columns = tuple[str, str, str]

LETTERS = (("s", "p", "o"), ("h", "r", "t"))  # in this order alone, as letters may well be names of nodes
SUBJECTS = "subject subj source src head from start subjectid sourceid headid fromid startid sourcenode fromnode node1"
RELATIONS = (
    "relation rel relationship predicate pred property label type edge relationid relationtype edgetype edgelabel"
)
OBJECTS = (
    "object obj target tgt tail to end objectid targetid tailid toid endid targetnode tonode node2 destination dest dst"
)
KINDS = tuple(frozenset(names.split()) for names in (SUBJECTS, RELATIONS, OBJECTS))


def usual_columns(names: Sequence[str]) -> Columns | None:
    """The columns of subjects, relations and objects among ``names``.

    None: not each of them has one usual name, in any case and with any marks, or one has several.
    """
    plain = ["".join(filter(str.isalnum, name)).casefold() for name in names]
    for letters in LETTERS:
        places = [place for place, one in enumerate(plain) if one in letters]
        if tuple(plain[place] for place in places) == letters:
            return _columns(names, places)
    found = [[place for place, one in enumerate(plain) if one in kind] for kind in KINDS]
    return _columns(names, [place for (place,) in found]) if all(len(some) == 1 for some in found) else None


def _columns(names: Sequence[str], places: Sequence[int]) -> Columns:
    subject, relation, object_ = (names[place] for place in places)
    return subject, relation, object_
