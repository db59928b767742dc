"""Forced oscillator, characteristic III, with diffrax under vmap, on a CPU or a GPU; `forced_scipy` has the model.

Choices:
- diffrax's Dopri8 and PIDController are stepped by hand. `diffeqsolve` with an `Event` ends one slip phase of every
  lane, so that under vmap all lanes would wait for the slowest in every phase; here each step of the loop is a step of
  every lane, whatever phase it is in.
- Slip that ends within a step is located on the step's own interpolant, by Newton's method within a bracket. That, the
  end of stick and the records run only in steps in which some lane needs them.
- A lane that finishes takes the next η at once.
- atol = rtol / 1000, as for scipy.
"""

import functools
import os
from math import pi

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others use the same GPU in this process

import diffrax
import jax
import jax.numpy as jnp
import numpy as np
from forced_stick import LIMIT, ROUND_OFF, U0, V0

jax.config.update("jax_enable_x64", True)
LANES = 16  # on a CPU; 32 took 1.1 times as long, 64 1.4 times
MOST = 400  # rows kept per η
NEWTON = 4  # steps of Newton's method, or halvings, that locate the end of slip
FIRST_STEP = 0.1


def prepare():
    """Nothing: programs are compiled at the first use of their size."""


def has_gpu():
    """Return whether JAX would run on a GPU."""
    return jax.default_backend() == "gpu"


def diagram(etas, periods, tol, lanes=LANES, most=MOST):
    """Return the stick→slip points (t, x) after the transient, one array per η."""
    run = program(min(lanes, len(etas)), most)
    times = jnp.array([periods[0], periods[0] + periods[1]], float)
    rows, counts = (np.asarray(found) for found in run(jnp.asarray(etas), tol, times))
    return [rows[i, : min(count, most)] for i, count in enumerate(counts[:-1])]


@functools.cache
def program(lanes, most):
    """Return the compiled function from η, tolerance and periods to the records and their counts.

    The last row of both is waste.
    """
    solver = diffrax.Dopri8()
    term = diffrax.ODETerm(_slip)

    def step(lane, tol):
        controller = diffrax.PIDController(rtol=tol, atol=1e-3 * tol)
        t, end = lane["t"], lane["end"]
        t1 = jnp.minimum(t + lane["h"], end)
        args = (lane["eta"], lane["s"])
        y1, error, dense, state, _ = solver.step(term, t, t1, lane["y"], args, lane["solver"], lane["jumped"])
        one = jnp.ones(())
        keep, t2, t3, _, _, _ = controller.adapt_step_size(
            t, t1, lane["y"], y1, args, error, solver.order(term), (one, one, jnp.array(False))
        )
        h = jnp.where(jnp.isfinite(t3 - t2), t3 - t2, 0.2 * lane["h"])  # a step into the pole of the law
        new = {"t": t1, "y": y1, "solver": state, "jumped": jnp.array(False)}
        old = {name: lane[name] for name in new}
        kept = jax.tree.map(lambda a, b: jnp.where(keep, a, b), new, old)
        ended = keep & (lane["s"] * y1[1] < 0.0)
        landing = {"ended": ended, "t0": t, "dense": dense}
        return {**lane, **kept, "h": h}, landing

    def land(lane, landing):
        """What follows the end of slip: stick up to its end, or slip to the other side."""
        eta, s = lane["eta"], lane["s"]
        te, x = _located(solver.interpolation_cls, landing["t0"], lane["t"], landing["dense"], eta, s)
        force = x - U0 * jnp.cos(eta * te)
        stuck = jnp.abs(force) <= LIMIT
        release, after = _stick_ends(x, te, eta, jnp.where(landing["ended"] & stuck, lane["end"], te))
        t, s = jnp.where(stuck, release, te), jnp.where(stuck, after, -s)
        y = jnp.stack([x + V0 * (t - te), jnp.zeros_like(x)])
        new = {"t": t, "y": y, "s": s, "jumped": jnp.array(True)}
        ended = landing["ended"]
        lane = {**lane, **{name: jnp.where(ended, value, lane[name]) for name, value in new.items()}}
        return lane, ended & stuck & (t > lane["transient"]) & (t < lane["end"])

    def begin(job, etas, periods):
        """A lane at the start of an η: from x = 0 in stick to the first release; without an η, at its end."""
        eta = etas[jnp.minimum(job, len(etas) - 1)]
        end = jnp.where(job < len(etas), 2 * pi / eta * periods[1], 0.0)
        t, s = _stick_ends(jnp.zeros(()), jnp.zeros(()), eta, end)
        y = jnp.stack([V0 * t, jnp.zeros(())])
        return {
            "job": job, "eta": eta, "t": t, "y": y, "s": s, "h": jnp.array(FIRST_STEP), "jumped": jnp.array(True),
            "transient": 2 * pi / eta * periods[0], "end": end,
            "solver": solver.init(term, t, t + FIRST_STEP, y, (eta, s)),
        }  # fmt: skip

    def settle(lanes_, landing, taken, rows, counts, etas, periods):
        lanes_, recorded = jax.vmap(land)(lanes_, landing)
        job = jnp.where(recorded, lanes_["job"], len(etas))
        place = jnp.minimum(counts[job], most - 1)
        rows = rows.at[job, place].set(jnp.stack([lanes_["t"], lanes_["y"][:, 0]], axis=1))
        counts = counts.at[job].add(recorded)
        done = (lanes_["t"] >= lanes_["end"]) & (lanes_["job"] < len(etas))
        jobs = jnp.where(done, jnp.minimum(taken + jnp.cumsum(done) - 1, len(etas)), lanes_["job"])
        fresh = jax.vmap(begin, (0, None, None))(jobs, etas, periods)
        lanes_ = jax.tree.map(lambda a, b: jnp.where(done.reshape(-1, *[1] * (a.ndim - 1)), a, b), fresh, lanes_)
        return lanes_, taken + done.sum(), rows, counts

    @jax.jit
    def run(etas, tol, periods):
        count = len(etas)

        def body(carry):
            lanes_, taken, rows, counts = carry
            lanes_, landing = jax.vmap(step, (0, None))(lanes_, tol)
            landing["ended"] &= lanes_["job"] < count
            needed = jnp.any(landing["ended"] | ((lanes_["t"] >= lanes_["end"]) & (lanes_["job"] < count)))
            return jax.lax.cond(
                needed,
                lambda: settle(lanes_, landing, taken, rows, counts, etas, periods),
                lambda: (lanes_, taken, rows, counts),
            )

        lanes_ = jax.vmap(begin, (0, None, None))(jnp.arange(lanes), etas, periods)
        carry = lanes_, jnp.array(lanes), jnp.zeros((count + 1, most, 2)), jnp.zeros(count + 1, int)
        _, _, rows, counts = jax.lax.while_loop(lambda carry: jnp.any(carry[0]["job"] < count), body, carry)
        return rows, counts

    return run


def _slip(t, y, args):
    eta, s = args
    w = s * y[1]
    return jnp.stack([y[1] + V0, U0 * jnp.cos(eta * t) - y[0] - s * (3.0 / (1.0 + 1.42 * w) + 1.0 + 0.1 * w * w)])


def _located(interpolation, t0, t1, dense, eta, s):
    """Return when slip ends within a step, and x there."""
    curve = interpolation(t0=t0, t1=t1, **dense)

    def better(_, carry):
        low, high, t = carry
        y = curve.evaluate(t)
        rising = s * y[1] > 0.0
        low, high = jnp.where(rising, t, low), jnp.where(rising, high, t)
        newton = t - y[1] / _slip(t, y, (eta, s))[1]
        return low, high, jnp.where((newton >= low) & (newton <= high), newton, 0.5 * (low + high))

    v0, v1 = curve.evaluate(t0)[1], curve.evaluate(t1)[1]
    part = jnp.clip(v0 / (v0 - v1), 0.25, 1.0)  # where a straight line ends; from t1 Newton's method starts slowly
    t = jax.lax.fori_loop(0, NEWTON, better, (t0, t1, t0 + part * (t1 - t0)))[2]
    return t, curve.evaluate(t)[0]


def _stick_ends(x, t, eta, t_end):
    """`forced_stick.stick_ends` for JAX; a phase that lasts beyond t_end ends there."""
    M, shift = U0 * eta * eta, x - V0 * t

    def free(gap, closing):
        gap = jnp.maximum(gap, 0.0)
        root = jnp.sqrt(closing * closing + 2.0 * M * gap)
        return jnp.where(closing > 0.0, 2.0 * gap / (root + closing), (root - closing) / M)

    def body(carry):
        t, _, _ = carry
        force, rise = shift + V0 * t - U0 * jnp.cos(eta * t), V0 + U0 * eta * jnp.sin(eta * t)
        upwards, downwards = free(LIMIT - force, rise), free(LIMIT + force, -rise)
        d = jnp.minimum(upwards, downwards)
        over = ((LIMIT - force <= ROUND_OFF) & (rise > 0.0)) | ((LIMIT + force <= ROUND_OFF) & (rise < 0.0))
        over |= t + d <= t
        return jnp.where(over, t, t + d), jnp.where(upwards < downwards, -1.0, 1.0), over

    start = t, jnp.full_like(t, -1.0), jnp.zeros_like(t, bool)
    t, s, _ = jax.lax.while_loop(lambda carry: (carry[0] < t_end) & ~carry[2], body, start)
    return jnp.minimum(t, t_end), s
