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
        "kernels/periods.py",
        "compared = min(kept - lag, max(2 * lag, kept // 2))",
        "compared = min(kept - lag, 2 * lag)",
        ("tests/sweeps/test_sweep.py::test_a_motion_that_still_settles_has_no_period",),
    ),
    Change(
        "a chunk is marked as done before it is written",
        "sweeps/checkpoint.py",
        """            for name, values in results.items():
                if len(values):
                    self.arrays[name][index, : len(values)] = values
            self._put_on_disk(index, self.plan.layout)
            self.arrays[DONE][index] = 1 + self._checksum(results)
""",
        """            self.arrays[DONE][index] = 1 + self._checksum(results)
            for name, values in results.items():
                if len(values):
                    self.arrays[name][index, : len(values)] = values
            self._put_on_disk(index, self.plan.layout)
""",
        ("tests/sweeps/test_long_work.py::test_a_chunk_is_done_when_all_of_it_is_written",),
    ),
    Change(
        "a chunk is marked as done before it is on the disk",
        "sweeps/checkpoint.py",
        "            self._put_on_disk(index, self.plan.layout)\n",
        "",
        ("tests/sweeps/test_stores.py::test_data_is_on_the_disk_before_its_mark",),
    ),
    Change(
        "the checksum of a chunk is not looked at",
        "sweeps/checkpoint.py",
        "        if mark != 1 + self._checksum(found):\n",
        "        if mark < 1:\n",
        ("tests/sweeps/test_stores.py::test_files_of_another_chunk_are_noticed",),
    ),
    Change(
        "a chunk may be written by two processes",
        "files.py",
        "        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
        "        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)\n",
        ("tests/sweeps/test_stores.py::test_one_writer_at_a_time",),
    ),
    Change(
        "links in a store are followed",
        "sweeps/checkpoint.py",
        "        _refuse_links(self.path)\n",
        "",
        ("tests/sweeps/test_stores.py::test_a_store_holds_its_data_itself",),
    ),
    Change(
        "the lock of a store may be another file",
        "files.py",
        " or status.st_nlink > 1:\n        os.close(descriptor)",
        ":\n        os.close(descriptor)",
        ("tests/sweeps/test_stores.py::test_a_lock_with_a_second_name_is_not_emptied",),
    ),
    Change(
        "a run that is put together may be interrupted",
        "simulation.py",
        "    with interrupts_noted(came):  # what",
        "    if not came:  # what",
        ("tests/sweeps/test_interrupt.py::test_a_run_that_is_put_together_is_kept",),
    ),
    Change(
        "a save may be interrupted",
        "result.py",
        "    with interrupted_later(), output_file(path) as temporary:\n",
        "    with output_file(path) as temporary:\n",
        ("tests/cli/test_interruption.py::test_while_a_file_is_written_it_waits",),
    ),
    Change(
        "the checksum of a save is not looked at",
        "reading.py",
        "        if is_damaged(path):\n",
        "        if is_damaged(path) and not path.exists():\n",
        ("tests/test_result.py::test_any_damage_is_a_sentence",),
    ),
    Change(
        "a save is not atomic",
        "result.py",
        """    with interrupted_later(), output_file(path) as temporary:
        write(temporary)
""",
        """    with interrupted_later():
        write(path)
""",
        ("tests/test_result.py::test_a_save_that_fails_leaves_what_was_there",),
    ),
    Change(
        "a file of the cache is not written atomically",
        "targets/cache.py",
        """        with whole_file(place / name, mode=0o644) as temporary, _opened(temporary, os.O_WRONLY) as file:
            file.write(content + _seal(name, content))
""",
        """        (place / name).write_bytes(content + _seal(name, content))
""",
        ("tests/test_result.py::test_nobody_sees_half_a_file",),
    ),
    Change(
        "the checksum of a file of the cache is not compared",
        "targets/cache.py",
        "    if sealed != content + _seal(name, content):\n",
        "    if not sealed:\n",
        ("tests/targets/test_cache.py",),
    ),
    Change(
        "the owner of a cache and its files is not asked",
        "targets/cache.py",
        "    if status.st_uid not in (os.geteuid(), 0):\n",
        "    if status.st_uid < 0:\n",
        ("tests/targets/test_cache.py",),
    ),
    Change(
        "files of the cache that others may write to are executed",
        "targets/cache.py",
        "    if status.st_mode & 0o022:\n",
        "    if status.st_mode & 0o022 and stat.S_ISDIR(status.st_mode):\n",
        ("tests/targets/test_cache.py",),
    ),
    Change(
        "links in the cache are followed",
        "targets/cache.py",
        '("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")',
        '("O_NONBLOCK", "O_BINARY")',
        ("tests/targets/test_cache.py",),
    ),
    Change(
        "a cluster is tried once",
        "sweeps/execute.py",
        "            tries = RETRIES if len(left) < before else tries - 1\n",
        "            tries = 0\n",
        ("tests/sweeps/test_long_work.py::test_what_a_cluster_loses_is_asked_for_again",),
    ),
    Change(
        "a start in stick is left with the coupling of contacts",
        "kernels/rest.py",
        "    for _ in range(MOST_ROUNDS):\n",
        "    for _ in range(0):\n",
        ("tests/sweeps/test_start_in_stick.py",),
    ),
    Change(
        "of several combinations that are equally good the last is taken",
        "kernels/mode.py",
        "excess_let_go(trajectory) > most):",
        "excess_let_go(trajectory) < most):",
        ("tests/test_rest_and_release.py::test_most_stick_and_the_farthest_beyond_their_limits_go",),
    ),
    Change(
        "modes are tried with most slipping first",
        "kernels/mode.py",
        "for sticking in range(resting, -1, -1):",
        "for sticking in range(resting + 1):",
        ("tests/test_rest_and_release.py::test_most_stick_where_all_combinations_are_tried",),
    ),
    Change(
        "round-off is left in the series of what sticks",
        "kernels/mode.py",
        "if model.MECHANICAL == 0 or abs(tau) <= stick_room(trajectory):",
        "if tau == tau:",
        ("tests/test_general.py::test_what_is_held_does_not_creep",),
    ),
    Change(
        "what moves otherwise than the states has no say in the step",
        "kernels/step.py",
        "if model.DRIVEN[i] == 1 or is_small(trajectory, i, h):",
        "if is_small(trajectory, i, h):",
        ("tests/test_general.py::test_a_belt_that_moves_in_time",),
    ),
    Change(
        "an exponential may do anything on a step",
        "kernels/step.py",
        "    if model.RESOLVED > 0:\n",
        "    if model.RESOLVED > 99:\n",
        ("tests/test_general.py::test_a_narrow_peak_is_not_passed_over",),
    ),
    Change(
        "the clock has one part",
        "kernels/clock.py",
        "    trajectory.late = rest_of_sum(time, step)\n",
        "    trajectory.late = 0.0\n",
        ("tests/test_general.py::test_the_origin_of_time_does_not_matter",),
    ),
    Change(
        "round-off is measured by values, not by terms",
        "symbolic/rounding.py",
        "return sympy.Add(*(size(term) for term in e.args))",
        "return Magnitude(e)",
        ("tests/test_general.py::test_sizes_bound_round_off",),
    ),
    Change(
        "a step that strays from its guard goes unnoticed",
        "kernels/march.py",
        "    if checks.strays(trajectory, tau):\n",
        "    if tau < 0.0:\n",
        ("tests/test_general.py::test_a_step_that_overlooks_something_ends_the_run",),
    ),
    Change(
        "what slips backwards goes unnoticed",
        "kernels/checks.py",
        "        if forward < 0.0:\n",
        "        if forward < -1e300:\n",
        ("tests/test_general.py::test_an_event_that_is_missed_ends_the_run",),
    ),
    Change(
        "what is held by more than its limit goes unnoticed",
        "kernels/checks.py",
        "            if force > static and",
        "            if force < static and",
        ("tests/test_general.py::test_an_event_that_is_missed_ends_the_run",),
    ),
    Change(
        "a motion that pauses begins anew",
        "kernels/ensemble.py",
        "        if row > ensemble.first or trajectory.steps == 0:\n",
        "        if row >= ensemble.first:\n",
        ("tests/sweeps/test_interrupt.py::test_motions_that_pause_are_the_same",),
    ),
    Change(
        "a motion that pauses may take more steps than it is allowed",
        "kernels/ensemble.py",
        "min(ensemble.most_steps, before + steps_left)",
        "before + steps_left",
        ("tests/sweeps/test_interrupt.py::test_motions_that_pause_are_the_same",),
    ),
    Change(
        "chattering begins a hundred thousand times earlier",
        "kernels/march.py",
        "gap <= 1e-9 * trajectory.longest_gap",
        "gap <= 1e-4 * trajectory.longest_gap",
        ("tests/test_rest_and_release.py::test_events_after_a_long_rest_are_no_chatter",),
    ),
    Change(
        "the slip speed after a release is resolved as the states are",
        "kernels/step.py",
        "if model.DRIVEN[i] == 1 or is_small(trajectory, i, h):",
        "if model.DRIVEN[i] == 1:",
        ("tests/test_rest_and_release.py::test_slip_after_release_as_from_a_moving_frame",),
    ),
    Change(
        "the intervals of a table end too late",
        "symbolic/printing.py",
        "ends = [*table.speeds[1:], 1e300]",
        "ends = [*(1.1 * speed for speed in table.speeds[1:]), 1e300]",
        ("tests/test_rest_and_release.py::test_slip_through_the_knots_of_a_table",),
    ),
    Change(
        "static and kinetic draws share a number",
        "kernels/chance.py",
        "2 * event + kind",
        "2 * event",
        ("tests/test_scatter.py::test_the_kinetic_draw_at_a_reversal_knows_nothing_of_the_static_one",),
    ),
    Change(
        "round-off of rest counts as motion of a fixed step",
        "kernels/runge_kutta.py",
        "return departs(trajectory, fixed, h, 1.0 if fixed.flipped != 0 else NOISE)",
        "return departs(trajectory, fixed, h, 0.0)",
        ("tests/methods/test_stick_at_rest.py",),
    ),
    Change(
        "the switch model does not follow the force that holds a contact",
        "kernels/dormand_prince.py",
        "        if trajectory.S[i] > 0.0:\n",
        "        if trajectory.S[i] < 0.0:\n",
        ("tests/methods/test_stick_at_rest.py::test_the_switch_model_passes_over_no_slip",),
    ),
    Change(
        "friction in the energy balance is that of the record",
        "energy.py",
        "            case Contact() if not part.follows_its_law:\n",
        "            case Contact():\n",
        ("tests/test_energy.py",),
    ),
    Change(
        "an interruption of basins is not caught",
        "sweeps/crowd.py",
        "    except KeyboardInterrupt:\n",
        "    except StopIteration:\n",
        ("tests/sweeps/test_basins.py::test_interrupted_it_keeps_what_is_known",),
    ),
    Change(
        "two outcomes have one number",
        "kernels/outcome.py",
        "TOO_STEEP = 10",
        "TOO_STEEP = 9",
        ("tests/test_status.py",),
    ),
    Change(
        "a spring with weights pulls every mass alike",
        "symbolic/equations.py",
        "                force[body.name] -= _exact(weight) * tension\n",
        "                force[body.name] -= sympy.sign(weight) * tension\n",
        ("tests/model/test_weights.py::test_lagrange",),
    ),
    Change(
        "a base that a state moves has no velocity from it",
        "symbolic/equations.py",
        "sympy.diff(motion, TIME) + steered",
        "sympy.diff(motion, TIME)",
        ("tests/test_states.py::test_a_base_that_a_state_moves_has_the_velocity_of_that_state",),
    ),
    Change(
        "the modes at rest on a belt that a state moves are taken for known",
        "orbits/equilibria.py",
        "isinstance(balance.model, System) and not balance.model.is_steered",
        "isinstance(balance.model, System)",
        ("tests/test_states.py::test_equilibria_where_a_state_drives_the_belt",),
    ),
)
