"""What it costs to follow an orbit: the in-phase orbit of two blocks on a belt, exact and smoothed with ε = 1e5.

    python bench/branches.py

The range of belt speeds is that of vandevrande1999 Fig. 5, from below the first flip to beyond the second. Evaluations
are Taylor expansions of the exact system (each gives a whole step), and evaluations of the smoothed right-hand side.
CPU time tells how much a Taylor expansion is worth.
"""

import time

import stickslip as ss

RANGE = (0.066, 0.2)


def follow(orbit: ss.Orbit) -> tuple[ss.Branch, float]:
    begin = time.process_time()
    branch = ss.follow(orbit, "belt.speed", to=RANGE)
    return branch, time.process_time() - begin


def main() -> None:
    model = ss.models.two_blocks()
    exact = ss.find_orbit(model, [1.09, 1.19, 0.14, 0.14])
    smooth = ss.find_orbit(model, exact, method=ss.Smoothing(eps=1e5))
    follow(exact), follow(smooth)  # compile, and warm up
    print(f"{'':10} {'points':>7} {'CPU time':>10} {'evaluations':>12}  flips")
    results = {"exact": follow(exact), "smoothed": follow(smooth)}
    for name, (branch, seconds) in results.items():
        flips = ", ".join(f"{point.value:.10f}" for point in branch.of_kind("flip"))
        print(f"{name:10} {len(branch):7} {seconds:9.2f}s {branch.evaluations:12}  {flips}")
    ratio = results["smoothed"][0].evaluations / results["exact"][0].evaluations
    print(f"the exact branch takes {ratio:.0f} times fewer evaluations")


if __name__ == "__main__":
    main()
