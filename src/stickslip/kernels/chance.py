"""Random numbers that depend on what they are for, not on when they are asked for.

The generator is counter-based: Philox 4×32 with ten rounds (Salmon and others, 2011). Its key is the seed, its counter
the number of the event and what is drawn there, the contact, and the number of the trajectory. So every target, thread
and worker draws the same.
"""

from math import log, sqrt

WORD = 4294967296  # 2**32
HALF_WORD = 65536


def high_word(a: int, b: int) -> int:
    """The upper 32 bits of the product of two words, without a product beyond 2**49."""
    low = a * (b % HALF_WORD)
    high = a * (b // HALF_WORD)
    return (high + low // HALF_WORD) // HALF_WORD


def low_word(a: int, b: int) -> int:
    """The lower 32 bits of the product of two words."""
    low = a * (b % HALF_WORD)
    high = a * (b // HALF_WORD)
    return (low + (high % HALF_WORD) * HALF_WORD) % WORD


def uniform(seed: int, point: int, contact: int, number: int) -> float:
    """A number in (0, 1)."""
    c0 = number % WORD
    c1 = contact + HALF_WORD * (number // WORD)
    c2 = point % WORD
    c3 = point // WORD
    k0 = seed % WORD
    k1 = seed // WORD
    for _ in range(10):
        h0 = high_word(3528531795, c0)
        l0 = low_word(3528531795, c0)
        h1 = high_word(3449720151, c2)
        l1 = low_word(3449720151, c2)
        c0 = h1 ^ c1 ^ k0
        c1 = l1
        c2 = h0 ^ c3 ^ k1
        c3 = l0
        k0 = (k0 + 2654435769) % WORD
        k1 = (k1 + 3144134277) % WORD
    # 26 + 27 bits, and half of the last one
    return (float(c0 // 64) * 134217728.0 + float(c1 // 32) + 0.5) / 9007199254740992.0


def normal_score(p: float) -> float:
    """The standard normal quantile of p, to 16 digits: Wichura (1988), algorithm AS 241."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        above = 2.5090809287301226727e3 * r + 3.3430575583588128105e4
        above = above * r + 6.7265770927008700853e4
        above = above * r + 4.5921953931549871457e4
        above = above * r + 1.3731693765509461125e4
        above = above * r + 1.9715909503065514427e3
        above = above * r + 1.3314166789178437745e2
        above = above * r + 3.3871328727963666080e0
        below = 5.2264952788528545610e3 * r + 2.8729085735721942674e4
        below = below * r + 3.9307895800092710610e4
        below = below * r + 2.1213794301586595867e4
        below = below * r + 5.3941960214247511077e3
        below = below * r + 6.8718700749205790830e2
        below = below * r + 4.2313330701600911252e1
        return q * above / (below * r + 1.0)
    tail = p if q < 0.0 else 1.0 - p
    r = sqrt(-log(tail))
    if r <= 5.0:
        r -= 1.6
        above = 7.74545014278341407640e-4 * r + 2.27238449892691845833e-2
        above = above * r + 2.41780725177450611770e-1
        above = above * r + 1.27045825245236838258e0
        above = above * r + 3.64784832476320460504e0
        above = above * r + 5.76949722146069140550e0
        above = above * r + 4.63033784615654529590e0
        above = above * r + 1.42343711074968357734e0
        below = 1.05075007164441684324e-9 * r + 5.47593808499534494600e-4
        below = below * r + 1.51986665636164571966e-2
        below = below * r + 1.48103976427480074590e-1
        below = below * r + 6.89767334985100004550e-1
        below = below * r + 1.67638483018380384940e0
        below = below * r + 2.05319162663775882187e0
    else:
        r -= 5.0
        above = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
        above = above * r + 1.24266094738807843860e-3
        above = above * r + 2.65321895265761230930e-2
        above = above * r + 2.96560571828504891230e-1
        above = above * r + 1.78482653991729133580e0
        above = above * r + 5.46378491116411436990e0
        above = above * r + 6.65790464350110377720e0
        below = 2.04426310338993978564e-15 * r + 1.42151175831644588870e-7
        below = below * r + 1.84631831751005468180e-5
        below = below * r + 7.86869131145613259100e-4
        below = below * r + 1.48753612908506148525e-2
        below = below * r + 1.36929880922735805310e-1
        below = below * r + 5.99832206555887937690e-1
    value = above / (below * r + 1.0)
    return -value if q < 0.0 else value


def drawn_score(seed: int, number: int, contact: int, event: int, kind: int) -> float:
    """The normal score of a contact at an event: one for each kind, since both stick and slip may be tried."""
    return normal_score(uniform(seed, number, contact, 2 * event + kind))
