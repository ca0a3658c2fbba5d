"""BLEU: how much of a translation is in reference translations."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ms_nn.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["BleuScore"]


def _ngrams(words: list[Any], most: int) -> Counter[tuple[Any, ...]]:
    """How often each run of 1 to `most` words is there."""
    return Counter(tuple(words[i : i + n]) for n in range(1, most + 1) for i in range(len(words) - n + 1))


class BleuScore(Metric):
    """BLEU with equal weights (``mindspore.train.BleuScore``; Papineni et al. 2002).

    `update` takes candidates, lists of words, and for each of them a list of references.

    Args:
        n_gram: the longest runs of words that count, 1 to 4.
        smooth: add 1 to the counts, so that a length without matches does not make the score 0.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.
        ValueError: in `update`, another number of inputs, or different numbers of candidates and references.
        RuntimeError: in `eval`, there was no update.

    >>> metric = BleuScore(n_gram=2)
    >>> metric.update([["a", "red", "pen"]], [[["a", "red", "pen"], ["one", "pen"]]])
    >>> float(metric.eval())
    1.0
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        if isinstance(n_gram, bool) or not isinstance(n_gram, int):
            raise TypeError(f"The type of 'n_gram' should be 'int', but got type '{type(n_gram).__name__}'.")
        if not 1 <= n_gram <= 4:
            raise ValueError(f"For 'BleuScore', the argument 'n_gram' should range from 1 to 4, but got {n_gram}.")
        if not isinstance(smooth, bool):
            raise TypeError(f"The type of 'smooth' should be 'bool', but got type '{type(smooth).__name__}'.")
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self) -> None:
        """Forget all updates."""
        self._matches = np.zeros(self.n_gram)
        self._all = np.zeros(self.n_gram)
        self._candidate_words = self._reference_words = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take in candidates and their references."""
        if len(inputs) != 2:
            raise ValueError(
                "For 'BleuScore.update', it needs 2 inputs (candidate_corpus, reference_corpus), "
                f"but got {len(inputs)}."
            )
        candidates, references = inputs
        if len(candidates) != len(references):
            raise ValueError(
                "For 'BleuScore.update', 'candidate_corpus' (inputs[0]) and 'reference_corpus' (inputs[1]) should be "
                f"equal in length, but got {len(candidates)}, {len(references)}"
            )
        for candidate, several in zip(candidates, references):
            self._candidate_words += len(candidate)
            lengths = [len(reference) for reference in several]
            self._reference_words += min(lengths, key=lambda length: abs(length - len(candidate)))
            found = _ngrams(candidate, self.n_gram)
            known: Counter[tuple[Any, ...]] = Counter()
            for reference in several:
                known |= _ngrams(reference, self.n_gram)
            for words, count in found.items():
                self._all[len(words) - 1] += count
            for words, count in (found & known).items():
                self._matches[len(words) - 1] += count
        self._is_update = True

    def eval(self) -> Any:
        """The score, 0 to 1."""
        if not self._is_update:
            raise RuntimeError("Please call the 'update' method before calling 'eval' method.")
        if self._matches.min() == 0:
            return np.array(0.0)
        extra = 1 if self.smooth else 0
        precision = np.exp(np.log((self._matches + extra) / (self._all + extra)).mean())
        if self._candidate_words > self._reference_words:
            return precision
        return precision * np.exp(1 - self._reference_words / self._candidate_words)
