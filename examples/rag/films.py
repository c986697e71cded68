"""Questions about films, answered from a graph: from the question to relation paths, to facts, to an answer.

Nothing reaches a network, for there is no language model: ``Templates`` stands in for one.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from spaseq.paths import Graph
from spaseq.paths.rag import PathRetrieval, parse_rules

GRAPH = Path(__file__).resolve().parent.parent / "paths" / "films.txt"
QUESTIONS = (
    "Who acted for the director of Kismet in another film?",
    "When were films with Ronald Colman released?",
    "Who directed Vertigo?",
)


class Templates:
    """In the place of a language model: it knows three forms of questions, and reads answers off the facts."""

    RULES = (
        ("acted for the director of", "<PATH>directed_by<SEP>^directed_by<SEP>starred_actors</PATH>"),
        ("films with .* released", "<PATH>^starred_actors<SEP>release_year</PATH>"),
        ("directed", "<PATH>directed_by</PATH>"),
    )

    def plan(self, question: str) -> str:
        """Relation paths that may lead to an answer, as a model trained for it (RoG) writes them."""
        return next(f"Let me see. {rule}" for form, rule in self.RULES if re.search(form, question))

    def answer(self, prompt: str) -> str:
        """The last nodes of the facts in a prompt."""
        facts = re.findall("^- (.*)$", prompt, re.MULTILINE)
        return ", ".join(dict.fromkeys(fact.split(" -> ")[-1] for fact in facts))


def main() -> None:
    graph, model = Graph.load(GRAPH), Templates()
    names = [graph.terms.value(number).text for number in range(graph.node_count)]

    def resolve(question: str) -> Iterator[tuple[str, str]]:
        """From each node that the question names, along each path that the model proposes."""
        for rule in parse_rules(model.plan(question)):
            yield from ((name, f"{rule.query()} NOT BACK TO START") for name in names if name in question)

    for found in PathRetrieval(graph, resolve, top=5).retrieve_all(QUESTIONS):
        prompt = "\n".join([found.question, "Facts:", *(f"- {path}" for path in found)])
        print(f"{prompt}\n=> {model.answer(prompt)}\n")


if __name__ == "__main__":
    main()
