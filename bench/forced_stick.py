"""The stick phases of the forced oscillator, for contestants that have to end them by themselves.

In stick x moves with the belt, and the phase lasts while |x − u| ≤ 4, u = u₀ cos ηt. Above u₀ η = v₀ the force x − u
does not grow steadily, and a root finder may land on a later end than the first.
"""

from math import cos, inf, sin, sqrt

U0, V0, LIMIT = 0.5, 1.0, 4.0
ROUND_OFF = 4e-16 * LIMIT


def compiled(compiler, u0=U0):
    """Return `stick_ends`, and what it calls, compiled."""
    free = compiler(still_free)

    def stick_ends(x, t, eta, t_end):
        """Return when the stick phase that began at (t, x) ends, and the sign of the slip after it; inf after t_end."""
        M = u0 * eta * eta
        shift = x - V0 * t
        while t < t_end:
            force, rise = shift + V0 * t - u0 * cos(eta * t), V0 + u0 * eta * sin(eta * t)
            if LIMIT - force <= ROUND_OFF and rise > 0.0:
                return t, -1.0
            if LIMIT + force <= ROUND_OFF and rise < 0.0:
                return t, 1.0
            upwards, downwards = free(LIMIT - force, rise, M), free(LIMIT + force, -rise, M)
            d = min(upwards, downwards)
            if t + d <= t:  # nearer than the clock can tell
                return t, -1.0 if upwards < downwards else 1.0
            t += d
        return inf, 0.0

    return compiler(stick_ends)


def still_free(gap, closing, M):
    """Return a time in which a gap, closing at this rate and with at most the acceleration M, does surely not close.

    It falls short of the first end by the second order only: going on by it converges like Newton's method.
    """
    root = sqrt(closing * closing + 2.0 * M * max(gap, 0.0))
    return 2.0 * max(gap, 0.0) / (root + closing) if closing > 0.0 else (root - closing) / M


stick_ends = compiled(lambda function: function)
