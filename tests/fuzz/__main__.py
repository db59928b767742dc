"""Fuzzing: inputs that nobody would write, and what the library makes of them.

python -m tests.fuzz --kind all --count 1000000 --seed 1 --processes 2
"""

from tests.fuzz.hunt import main

if __name__ == "__main__":
    main()
