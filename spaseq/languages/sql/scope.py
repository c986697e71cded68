"""What names mean in a statement: columns, variables and subsets of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spaseq.languages.query_text import Problem
from spaseq.languages.sql import tree
from spaseq.languages.sql.names import fitting, variable_of
from spaseq.pattern.rows.expressions import Field, Variables
from spaseq.pattern.rows.types import ANY, SqlType
from spaseq.text import did_you_mean


@dataclass(frozen=True, slots=True)
class NameScope:
    """``columns`` of the table, with their types (None: not known yet), and which variables each name stands for.

    ``in_define``: conditions are about a match up to the row that is looked at.
    """

    table: str
    columns: Mapping[str, SqlType] | None
    variables: Mapping[str, Variables]
    in_define: bool = False

    def column(self, name: tree.Name) -> str:
        """The column that a name means; Problem if it means none, or several."""
        if self.columns is None:
            return name.text
        found = fitting(name, self.columns)
        if len(found) == 1:
            return found[0]
        if found:
            hint = 'put it in double quotes: "' + '" or "'.join(found) + '"'
            raise Problem(f"{name.text} may be any of the columns {', '.join(found)}", name.span, hint)
        raise Problem(f"{self.table} has no column {name.text}", name.span, did_you_mean(name.text, list(self.columns)))

    def field(self, name: tree.Name) -> Field:
        """The column that a name means, of a row; Problem as of ``column``."""
        column = self.column(name)
        return Field(column, ANY if self.columns is None else self.columns[column])

    def rows_of(self, name: tree.Name) -> Variables:
        """The variables that a name stands for; Problem if there is no such variable."""
        variable = variable_of(name)
        if variable not in self.variables:
            raise Problem(f"there is no variable {variable}", name.span, did_you_mean(variable, list(self.variables)))
        return self.variables[variable]
