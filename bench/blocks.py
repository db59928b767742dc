"""Race for many short motions of five blocks on a belt, each tied to its neighbours: five contacts, to the same error.

    python bench/blocks.py              CPU time on one core

`models.chain(5)` at 1,000 belt speeds in [0.05, 0.2], from its own start to t = 20: some thirty changes of mode each.
In 99 of 100 of the motions no state may end farther than 1e-6 from where it should. The reference is stickslip's at
rtol = 1e-13, one by one, which DOP853 of scipy confirms at some speeds at every run. Every contestant travels all the
way; tolerances, times and repeats are as in `run.py`.
"""

import argparse
import os

import numpy as np

SPEEDS = np.linspace(0.05, 0.2, 1000)
END = 20.0
ALLOWED = 1e-6
PART = 0.99  # of the motions must be so good
CHECKED = 5  # speeds at which another program confirms the reference
BLOCKS = 5
COUPLING, DELTA = 1.0, 3.0


def start():
    """Places of the blocks; they are at rest, not sticking."""
    return 0.5 * np.sin(3.0 * np.arange(1, BLOCKS + 1))


def error_of(found, exact):
    """The distance from the exact end below which PART of all motions are."""
    return float(np.quantile(np.max(np.abs(found - exact), axis=1), PART, method="higher"))


def blocks_task(speeds, exact):
    """All motions or an even share of them, as a task of `run`."""
    import run

    def task(module, share):
        part = slice(share // 2, None, share)
        return run.Work(
            lambda tol: module.ends(speeds[part], END, tol), lambda found: error_of(found, exact[part]), share
        )

    return task


def confirmed(speeds):
    """The exact ends; prints how far scipy is from them."""
    import blocks_march
    import blocks_scipy

    blocks_march.prepare()
    exact = blocks_march.ends(speeds, END, 1e-13)
    some = slice(len(speeds) // (2 * CHECKED), None, len(speeds) // CHECKED)
    far = np.max(np.abs(blocks_scipy.ends(speeds[some], END, 1e-13) - exact[some]))
    print(f"  DOP853 at {', '.join(f'{V:.3f}' for V in speeds[some])} is within {far:.1e}")
    return exact


def main():
    import run

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    run.print_machine(core)
    print(f"\n{BLOCKS} blocks, {len(SPEEDS):,} belt speeds, to t = {END:g}, error ≤ {ALLOWED:.0e}")
    contestants = [
        run.Contestant("stickslip", "blocks_ours"),
        run.Contestant("one by one", "blocks_march"),  # ours, where motions do not travel together
        run.Contestant("heyoka.py", "blocks_heyoka"),
        run.Contestant("scipy", "blocks_scipy", share=200),
    ]
    run.race(contestants, blocks_task(SPEEDS, confirmed(SPEEDS)), ALLOWED, arguments.repeats)


if __name__ == "__main__":
    main()
