"""Deliberate mistakes, and the tests that must notice each of them.

A change replaces one piece of text that occurs once in a file of the package. It stands for a kind of mistake, so the
tests that notice it are about behaviour, and do not know it. Where the text has been written anew, write the same
mistake into the new text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A mistake: what it is, in which file of the package, the text and what stands in its place, and the tests."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


CHANGES = (
    Change(
        "fewer returns are compared for a period",
        "kernels/observe.py",
        "compared = min(kept - lag, max(2 * lag, kept // 2))",
        "compared = min(kept - lag, 2 * lag)",
        ("tests/sweeps/test_sweep.py::test_a_motion_that_still_settles_has_no_period",),
    ),
    Change(
        "a chunk is marked as done before it is written",
        "sweeps/checkpoint.py",
        """        for name, values in results.items():
            if len(values):
                self.arrays[name][index, : len(values)] = values
        self.arrays[DONE][index] = 1
""",
        """        self.arrays[DONE][index] = 1
        for name, values in results.items():
            if len(values):
                self.arrays[name][index, : len(values)] = values
""",
        ("tests/sweeps/test_long_work.py::test_a_chunk_is_done_when_all_of_it_is_written",),
    ),
    Change(
        "a save is not atomic",
        "result.py",
        """    with whole_file(Path(path)) as temporary:
        run.to_netcdf(temporary, engine="h5netcdf")
""",
        """    run.to_netcdf(path, engine="h5netcdf")
""",
        ("tests/test_result.py::test_a_save_that_fails_leaves_what_was_there",),
    ),
    Change(
        "a file of the cache is not written atomically",
        "targets/join.py",
        """        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
""",
        """        path.write_bytes(content)
""",
        ("tests/test_result.py::test_nobody_sees_half_a_file",),
    ),
    Change(
        "a cluster is tried once",
        "sweeps/execute.py",
        "        for _ in range(RETRIES):\n",
        "        for _ in range(1):\n",
        ("tests/sweeps/test_long_work.py::test_what_a_cluster_loses_is_asked_for_again",),
    ),
)
