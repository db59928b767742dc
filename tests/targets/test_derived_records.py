"""A record that derives from another stands for it: the fields of a base class come first."""

import pytest

from stickslip.errors import CompileError
from stickslip.kernels.records import Records
from stickslip.targets import checked, cpu, python
from stickslip.targets.generated import Generated, KernelSet

TEXT = """
from stickslip.kernels.records import Floats, Record, Records, field

class Point(Record):
    place: Floats = field("where", 2)

class Marked(Point):
    weight: float = field("how heavy")
    mark: int = field("how often")

def size(point: Point) -> float:
    return point.place[0] + 10.0 * point.place[1]

def total(points: Records[Marked], count: int) -> float:
    sum = 0.0
    for i in range(count):
        point = points[i]
        sum += size(points[i]) * point.weight + size(point) * point.mark
    return sum

def weight_of(marked: Marked) -> float:
    return marked.weight

def wrong(point: Point) -> float:
    return weight_of(point)
"""


def generated(kernels: KernelSet) -> Generated:
    return Generated(f"derived records|{kernels.name}|{TEXT}", lambda: TEXT, "example")


@pytest.mark.parametrize("target", [cpu, python, checked])
def test_a_derived_record_stands_for_its_base(target) -> None:
    kernels = KernelSet("total", ("example.total",))
    program = target.program(generated(kernels), kernels)
    points = Records(program.kernels.example.Marked, 3)
    points.column("place")[:] = [[1, 2], [3, 4], [5, 6]]
    points.column("weight")[:] = [1, 100, 10000]
    points.column("mark")[:] = [1, 2, 3]
    assert program.total(points, 3) == 21 * 2 + 43 * 102 + 65 * 10003


def test_a_base_does_not_stand_for_what_derives_from_it() -> None:
    kernels = KernelSet("wrong", ("example.wrong",))
    with pytest.raises(CompileError, match=r"example\.py, line 25: this does not fit the parameter marked: point"):
        cpu.program(generated(kernels), kernels)
