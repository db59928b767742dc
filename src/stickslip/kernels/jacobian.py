"""The Jacobian of ż in a mode, from the partial derivatives of its ingredients."""

from collections.abc import Callable

import numpy as np

from stickslip.kernels.records import Floats, Ints


def jacobian(
    derivatives: Callable[..., None], z: Floats, t: float, p: Floats, s: Ints, force: Floats
) -> tuple[Floats, Floats]:
    """(∂ż/∂z, ∂ż/∂p) with the modes s held and the forces λ following: slip dλ = −s dR, stick a + D λ = 0.

    `derivatives` is generated: it fills the partial derivatives at one point.
    """
    n, m, k = len(z), len(s), len(p)
    E_z, A_z, R_z = np.zeros((n, n)), np.zeros((m, n)), np.zeros((m, n))
    E_p, A_p, R_p = np.zeros((n, k)), np.zeros((m, k)), np.zeros((m, k))
    G, D = np.zeros((n, m)), np.zeros((m, m))
    derivatives(z, t, p, s, force, E_z, E_p, A_z, A_p, R_z, R_p, G, D)
    force_z, force_p = np.zeros((m, n)), np.zeros((m, k))
    stuck = np.zeros(m, np.bool_)
    for i in range(m):
        stuck[i] = s[i] == 0
        force_z[i] = -s[i] * R_z[i]
        force_p[i] = -s[i] * R_p[i]
    index = np.nonzero(stuck)[0]
    if len(index) > 0:
        block = np.zeros((len(index), len(index)))
        for i in range(len(index)):
            for j in range(len(index)):
                block[i, j] = D[index[i], index[j]]
        right_z = -(A_z[index] + D[index] @ force_z)
        right_p = -(A_p[index] + D[index] @ force_p)
        force_z[index] = np.linalg.solve(block, right_z)
        force_p[index] = np.linalg.solve(block, right_p)
    return E_z + G @ force_z, E_p + G @ force_p
