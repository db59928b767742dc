"""Messages of the verbs in the words of the page, where nobody types arguments: the one place where they are put so."""

from __future__ import annotations

import re

SAID = ("error", "reason", "status", "no_map")
"""Fields of a header that are sentences of the verbs."""

WORDS = (
    (r"which `lyapunov` tells, or settle later: then give a longer run as the guess\.", "or settle later."),
    (r"give unstable=True \(--unstable\), or a guess=\(start, period\) near one", "start near one"),
    (r"a guess=\(start, period\) nearer to it, or a longer run as the guess", "a start nearer to it"),
    (r" with guess=\(start, period\)", ""),
    (r"use find_equilibria", "look for equilibria"),
    (r"find_equilibria cannot carry", "Equilibria cannot be found with"),
    (r"intervals of find_equilibria", "equilibria"),
    (r"orbits with find_orbit", "orbits"),
    (r"; try a smaller step=", ""),
    (r" Try a smaller step=\.", ""),
    (r": allow more with most=\.", "."),
    (r"; allow more with `most_steps`\.", ": make the motion shorter."),
)
"""What the verbs say, and what is said here."""


def in_words_of_the_page(sentence: str) -> str:
    """A message without names of arguments.

    >>> in_words_of_the_page("the guess leads to an equilibrium, where nothing moves: use find_equilibria")
    'the guess leads to an equilibrium, where nothing moves: look for equilibria'
    """
    for pattern, said in WORDS:
        sentence = re.sub(pattern, said, sentence)
    return sentence
