"""Scores by embeddings: how near a path is to its question in the space of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spaseq.errors import OptionError
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Paths
from spaseq.paths.rag.names import GraphNames
from spaseq.paths.rag.scoring import share_of
from spaseq.paths.weights import Scores, first_nodes, lengths, mean_of_steps, reached

Embed = Callable[[list[str]], ArrayLike]
Vectors = NDArray[np.float32]


class EmbeddingScorer:
    """The cosine of a question with a path: from -1 to 1.

    ``embed`` gives a row of numbers for each text of a list.  The relations of a path are one text, in turn
    (``directed_by -> ^directed_by``), and each of its nodes is one.  A score is the cosine of the question with the
    relations, times ``relation_share``, and the mean of its cosines with all nodes but the first, times the rest; that
    of a path without edges is the cosine with its node.  A row of zeros has the cosine 0 with everything.

    Texts of relations and nodes are embedded once, those that are new to all questions of a call together.
    """

    def __init__(self, graph: GraphEdges, embed: Embed, relation_share: float = 0.5) -> None:
        self._names = GraphNames(graph)
        self._share = share_of(relation_share)
        self._vectors = TextVectors(embed)

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """Cosines.  OptionError: ``embed`` does not give one row for each text."""
        texts = [text for paths in found for text in self._texts(paths)]
        asked = self._vectors.learn(texts, questions)
        return [self._of_one(one, paths) for one, paths in zip(asked, found, strict=True)]

    def _texts(self, paths: Paths) -> list[str]:
        nodes = [self._names.node(vertex) for vertex in np.unique(paths.columns.vertices).tolist()]
        return list(dict.fromkeys(self._relations(paths))) + nodes

    def _relations(self, paths: Paths) -> list[str]:
        """The text of the relations of each path that has some."""
        shown = {symbol: self._names.step(symbol) for symbol in np.unique(paths.columns.symbols).tolist()}
        return [" -> ".join(map(shown.__getitem__, path.symbols)) for path in paths if path.symbols]

    def _of_one(self, question: Vectors, paths: Paths) -> Scores:
        near = self._node_cosines(question, paths)
        scores = near[first_nodes(paths.columns)]  # of paths without edges
        has_steps = lengths(paths.columns) > 0
        nodes = mean_of_steps(near[reached(paths.columns)], paths.columns)[has_steps]
        relations = self._vectors.rows(self._relations(paths)) @ question
        scores[has_steps] = self._share * relations + (1 - self._share) * nodes
        return scores

    def _node_cosines(self, question: Vectors, paths: Paths) -> Scores:
        """float64[nodes of the graph]: the cosine with each node of these paths."""
        vertices = np.unique(paths.columns.vertices)
        near = np.zeros(self._names.graph.vertex_count)
        near[vertices] = self._vectors.rows([self._names.node(vertex) for vertex in vertices.tolist()]) @ question
        return near


class TextVectors:
    """Vectors of length 1, or 0, of texts; those that ``learn`` was told once are kept."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._kept: dict[str, Vectors] = {}
        self._width: int | None = None

    def learn(self, texts: Iterable[str], questions: Sequence[str]) -> Vectors:
        """Keep texts that are not known yet; the rows of ``questions``, which are not kept."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        rows = self._unit_rows([*new, *questions])
        self._kept |= zip(new, rows, strict=False)
        return rows[len(new) :]

    def rows(self, texts: Sequence[str]) -> Vectors:
        """float32[texts, width]: those of texts that are kept."""
        return np.array([self._kept[text] for text in texts], np.float32).reshape(len(texts), self._width or 0)

    def _unit_rows(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._width or 0), np.float32)
        rows = self._embedded(texts)
        self._width = rows.shape[1]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1
        with np.errstate(invalid="ignore"):  # numbers that are not finite make scores that are not, which are refused
            unit: Vectors = rows / norms
        return unit

    def _embedded(self, texts: list[str]) -> Vectors:
        given = self._embed(texts)
        try:
            rows = np.asarray(given, np.float32)
        except (TypeError, ValueError):
            raise OptionError(f"embed gives a row of numbers for each text, not {given!r:.80}") from None
        if rows.ndim != 2 or len(rows) != len(texts) or rows.shape[1] != (self._width or rows.shape[1]):
            raise OptionError(f"embed gives a row for each of {len(texts)} texts, not an array of {rows.shape}")
        return rows
