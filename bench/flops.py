"""How much of a core's arithmetic a run of stickslip uses: floating-point operations, and the core's FP64 peak.

    python bench/flops.py          check the counter against two other counts, and measure the peak

What is counted: the additions, subtractions, multiplications and divisions of Taylor expansions, as they are written
in the generated functions `taylor_slip`, `taylor_stick` and so on; a fused multiply-add is two, a division is one.
Products with 1 and values that nobody reads are left out, since the compiler drops them. Sines, cosines and changes of
sign are not counted, nor is all else that a run does: choosing the step, looking for events, choosing modes, adding the
series up. So the share of the peak is a lower bound. The number of steps is that of the whole run; how they divide into
stick and slip is counted on some of its trajectories.

The peak is what a matrix product of numpy reaches on the same core.
"""

import ast
import time

import numpy as np

OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def per_expansion(field):
    """Return the floating-point operations of one expansion by stick pattern: {"slip": …, "stick": …}."""
    return {name.removeprefix("taylor_"): counted(text) for name, text in expansions(field).items()}


def expansions(field):
    """Return the text of the functions that expand a step, by name: one for each stick pattern."""
    from stickslip.artifacts import artifact

    nodes = ast.parse(artifact(field.model, "series", field.order).text).body
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.unparse(node) for node in functions if node.name.startswith("taylor_")}


def per_step(model, changes, t, rtol, order):
    """Return the mean operations of a step on trajectories to the time t, with these changes of the parameters."""
    import stickslip as ss

    operations, found = per_expansion(ss.Field.of(model, order=order)), []
    for change, t_end in zip(changes, t, strict=True):
        run = ss.simulate(model.with_(change), t=t_end, method=ss.Exact(rtol=rtol, order=order))
        for modes in run["step_mode"].values:
            found.append(operations["_".join("slip" if mode else "stick" for mode in modes)])
    return float(np.mean(found))


def counted(source, idle=False):
    """Return the floating-point operations of a function without loops; with `idle`, also those that change nothing."""
    (function,) = ast.parse(source).body
    assigned = [node for node in function.body if isinstance(node, ast.Assign)]
    whole = {node.targets[0].id for node in assigned if _is_whole(node.value)}
    read, total = set(), 0
    for node in reversed(assigned):
        target = node.targets[0]
        if idle or not isinstance(target, ast.Name) or target.id in read:
            read |= {name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)}
            total += _operations(node.value, whole, idle)
    return total


def _is_whole(node):
    """Whether a value is the sign of a slip, a whole number made a float: signs are not multiplied with one another."""
    return isinstance(node, ast.Call) and node.func.id == "float"


def _operations(node, whole, idle):
    match node:
        case ast.BinOp():
            sides = (node.left, node.right)
            inside = sum(_operations(side, whole, idle) for side in sides)
            nothing = not idle and isinstance(node.op, ast.Mult) and any(_is_one(side) for side in sides)
            signs = all(isinstance(side, ast.Name) and side.id in whole for side in sides)
            return inside + (isinstance(node.op, OPERATIONS) and not nothing and not signs)
        case ast.UnaryOp():
            return _operations(node.operand, whole, idle)
        case ast.Call():
            inside = sum(_operations(argument, whole, idle) for argument in node.args)
            return inside + (2 if node.func.id == "fused" else 0)
        case ast.IfExp():  # which one is chosen is no operation; both are alike
            return max(_operations(side, whole, idle) for side in (node.body, node.orelse))
        case ast.Name() | ast.Constant() | ast.Subscript() | ast.Attribute():
            return 0
    raise NotImplementedError(f"the counter does not know {ast.unparse(node)}")


def _is_one(node):
    if isinstance(node, ast.UnaryOp):
        return _is_one(node.operand)
    return isinstance(node, ast.Constant) and node.value == 1.0


def peak(size=768, repeats=12):
    """Return the floating-point operations per second of CPU time that a product of matrices reaches."""
    a = np.random.default_rng(0).random((size, size))
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        a @ a
        seconds.append(time.process_time() - start)
    return 2 * size**3 / min(seconds)


# -- checks ------------------------------------------------------------------------------------------------------------

BY_HAND = """
def taylor_slip(trajectory):
    sign = float(trajectory.mode[0])
    a = trajectory.constant[0]
    b = sign*trajectory.state[1]
    unread = a*b + b
    c = 1.0*a*-b/3.0
    trajectory.state_series[0, 1] = fused(a, b, c*c) - cos(a + b)
"""
HAND_COUNT = {True: 11, False: 8}  # all; without a product with 1 and the two operations of `unread`


class _Counted(float):
    """A float that counts what is done with it."""

    done = 0

    def __neg__(self):
        return _Counted(float.__neg__(self))


def _counting(name):
    plain = getattr(float, name)

    def operation(self, other):
        _Counted.done += 1
        return _Counted(plain(self, other))

    return operation


for _name in ("add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv"):
    setattr(_Counted, f"__{_name}__", _counting(f"__{_name}__"))


class _Memory(np.ndarray):
    """Numbers of a record that count."""

    def __setitem__(self, place, value):
        np.ndarray.__setitem__(self, place, _Counted(value))


def by_running(field, pattern, mode):
    """Return the operations of one expansion by running it as plain Python on floats that count."""
    start, module = field.workspace(), field.program.kernels.model
    floats = np.array([_Counted(value) for value in start.floats], object).view(_Memory)
    trajectory = type(start)(floats, start.integers)
    trajectory.mode[:] = mode
    _Counted.done = 0
    # A fused multiply-add is two operations, as a processor has it; sines and what leads to them are none.
    plain = dict.fromkeys(("wave_sine", "wave_cosine", "line"), lambda *_: _Counted(0.5))
    plain["fused"] = lambda a, b, c: a * b + c
    kept = {name: getattr(module, name) for name in plain}
    vars(module).update(plain)
    try:
        getattr(module, f"taylor_{pattern}")(trajectory)
    finally:
        vars(module).update(kept)
    return _Counted.done


def main():
    import stickslip as ss

    for idle, expected in HAND_COUNT.items():
        assert counted(BY_HAND, idle) == expected, (counted(BY_HAND, idle), expected)
    for name, patterns in (
        ("block_on_belt", {"slip": [-1], "stick": [0]}),
        ("forced_oscillator", {"slip": [-1], "stick": [0]}),
        ("two_blocks", {"slip_slip": [-1, -1]}),
    ):
        field = ss.Field.of(getattr(ss.models, name)(), order=16, target="python")
        for pattern, mode in patterns.items():
            text = expansions(field)[f"taylor_{pattern}"]
            run, written, used = by_running(field, pattern, mode), counted(text, idle=True), counted(text)
            print(f"{name:18} {pattern:10} order 16: {used} operations; {written} as written, running it counts {run}")
            assert run == written
    print(f"peak by a product of matrices: {peak() / 1e9:.1f} thousand million operations per second")


if __name__ == "__main__":
    main()
