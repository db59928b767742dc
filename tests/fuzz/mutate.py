"""Changes to known inputs, and the corpus that is kept."""

from __future__ import annotations

import functools
from pathlib import Path
from random import Random

CORPUS = Path(__file__).parent / "corpus"
TOKENS = (
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        "\\",
        "\n",
        "\0",
        "\x1b[31m",
        "\u202e",
        "é",
        "\ud800",
        ".",
        ",",
        "=",
        "#",
    ),
    *("nan", "inf", "-1", "1e999", "0", "9" * 400, "true", "__import__('os').system('true')", "**", "ground", "v", "t"),
    *("[[mass]]", "[mass.block]", "filippov", "law", "formula", "order", "kind", "mu_k", "\t", " ", "'''", '"""'),
)
EDGES = (b"\x00" * 8, b"\xff" * 8, b"\x7f" * 4, b"\x80", b"\x00\x00\x00\x80", b"\x01", b"\xff\xff\xff\x7f")


@functools.cache
def kept(kind: str, pattern: str) -> tuple[str, ...]:
    """The texts of the corpus of one kind whose names are like that."""
    return tuple(path.read_text("utf-8", "surrogatepass") for path in sorted((CORPUS / kind).glob(pattern)))


@functools.cache
def kept_bytes(kind: str, pattern: str) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted((CORPUS / kind).glob(pattern)))


def mutated_text(random: Random, text: str) -> str:
    """A text with a few places cut, doubled, exchanged or overwritten."""
    for _ in range(random.choice((1, 1, 2, 4, 16))):
        i, j = sorted(random.randrange(len(text) + 1) for _ in range(2))
        j = min(j, i + random.choice((0, 1, 3, 20)))
        match random.randrange(5):
            case 0:
                text = text[:i] + text[j:]
            case 1:
                text = text[:i] + text[i:j] * random.choice((2, 3, 50)) + text[j:]
            case 2:
                text = text[:i] + random.choice(TOKENS) + text[i:]
            case 3:
                text = text[:i] + random.choice(TOKENS) + text[j:]
            case _:
                text = text[:i] + chr(random.choice((random.randrange(128), random.randrange(0x3000)))) + text[i + 1 :]
        text = text[:200_000]
    return text


def mutated_bytes(random: Random, data: bytes, other: bytes) -> bytes:
    """Bytes with a few flipped, overwritten, cut out or taken from another file."""
    found = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 8, 32))):
        # Headers come first, and matter most.
        i = random.randrange(min(len(found), random.choice((64, 512, 4096, len(found))))) if found else 0
        match random.randrange(6):
            case 0 | 1:
                found[i : i + 1] = bytes([random.randrange(256)])
            case 2:
                edge = random.choice(EDGES)
                found[i : i + len(edge)] = edge
            case 3:
                width, j = random.choice((4, 16, 256)), random.randrange(max(1, len(other)))
                found[i : i + width] = other[j : j + width]
            case 4:
                if i < len(found):
                    found[i] ^= 1 << random.randrange(8)
            case _:
                if random.random() < 0.2:
                    del found[random.randrange(len(found) + 1) :]
    return bytes(found)
