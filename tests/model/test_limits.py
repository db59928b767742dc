"""What a model file may ask for: known before it is compiled, said in a sentence; what is legitimate stays possible."""

import time

import pytest

import stickslip as ss
from stickslip.cli.screen import console
from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.model.cost import costs
from stickslip.model.errors import visible
from stickslip.model.files import dumps, loads
from stickslip.model.library import LIBRARY
from stickslip.model.limits import MAX_COST
from stickslip.symbolic.equations import derive

BASE = '[mass.block]\nm = 1.0\n[belt.belt]\nspeed = 0.2\n[spring.spring]\nbetween = ["block", "ground"]\nk = 1.0\n'


def with_law(text):
    return f'{BASE}[contact.pad]\non = "block"\nagainst = "belt"\nlaw = {text}\n'


def with_force(formula):
    return f'{BASE}[force.push]\non = "block"\nforce = "{formula}"\n'


def chain(n):
    ends = ["ground", *(f"m{i}" for i in range(n))]
    parts = (f'[mass.m{i}]\nm = 1.0\n[spring.s{i}]\nbetween = ["m{i}", "{ends[i]}"]\nk = 1.0\n' for i in range(n))
    return "".join(parts)


def refused(text):
    """The sentence by which a text is refused, at once."""
    begin = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        loads(text)
    assert time.perf_counter() - begin < 5
    assert len(str(caught.value)) < 2000
    return str(caught.value)


@pytest.mark.parametrize("text, said", [
    (with_law('{kind = "polynomial", coefficients = [' + "0.5, " * 500 + "]}"), "500 coefficients: at most 64"),
    (with_law('{kind = "tabulated", speeds = [' + "0.5," * 60_000 + "], values = [0.1]}"), "60000 points: at most"),
    (with_law('{kind = "coulomb", mu_s = 0.3}') + 'scatter = {static = {distribution = "studentized_range",'
     " shapes = [3.0, 10.0]}}\n", "'pad': the distribution 'studentized_range' has quantiles that may"),
    (chain(400), "the model costs 1600 operations"),
    (chain(6000), "the model has 12000 parts: at most 5000"),
    ("".join(f'[mass.m{i}]\nm = 1.0\n[force.f{i}]\non = "m{i}"\nforce = "{"+".join(["x*v"] * 90)}"\n'
             for i in range(4)), "of them in 'f0'"),
    (f'title = "{"x" * 20_000}"\n' + BASE, "title has 20000 characters: at most 10000"),
    (with_force("min(" + ",".join(["x"] * 50) + ")"), "more than 40 cases"),
    (with_force("x**1e9"), "exponent"),
    (with_force("9**9**9*x"), "constant part"),
    (with_force("(" * 90 + "x" + ")" * 90), ""),
    (with_force("+".join(["min(x,v)"] * 19 )), ""),
], ids=lambda value: value[:30] if len(value) < 60 else "text")  # fmt: skip
def test_what_costs_too_much_is_refused_before_it_is_compiled(text, said):
    if not said:  # allowed, and cheap
        assert sum(costs(loads(text)).values()) < MAX_COST
        return
    assert said in refused(text)


def test_what_is_legitimate_stays_possible():
    assert sum(costs(loads(chain(200))).values()) == 800
    for make in LIBRARY.values():
        assert sum(costs(make()).values()) < MAX_COST / 2
    large = ss.models.chain(n=60)
    with pytest.raises(ModelError, match=r"load\(path, trusted=True\)"):
        loads(dumps(large))
    assert loads(dumps(large), trusted=True).states == large.states


@pytest.mark.parametrize("text", [
    with_force("min(" + ",".join(f"x + {i}*v" for i in range(39)) + ")"),
    with_force("max(" + ",".join(f"min(x*{i + 1}, {i}*v)" for i in range(13)) + ")"),
    with_law('{kind = "polynomial", coefficients = [' + "0.01, " * 64 + "]}"),
    with_law('{kind = "tabulated", speeds = [' + ", ".join(str(i / 100) for i in range(30_000)) + "], values = ["
             + ", ".join(str(0.3 + i % 7 / 100) for i in range(30_000)) + "]}"),
], ids=["min", "max of min", "polynomial", "table"])  # fmt: skip
def test_what_cost_minutes_takes_seconds(text):
    begin = time.perf_counter()
    field = Field.of(loads(text), target="python", order=8)
    assert field.evaluate([0.3, 0.1]).rate.shape == (2,)
    assert time.perf_counter() - begin < 10


def test_extremes_of_many_are_what_they_were():
    arguments = [f"x + {i}*v - {i * i}" for i in range(7)]
    for name, choose in (("min", min), ("max", max)):
        field = Field.of(loads(with_force(f"{name}({','.join(arguments)})")), target="python", order=8)
        for x, v in ((0.3, 0.1), (-2.0, 5.0), (1.0, -7.0), (4.0, 11.0)):
            expected = choose(x + i * v - i * i for i in range(7)) - x
            assert field.evaluate([x, v]).rate[1] == pytest.approx(expected, rel=1e-14)


def test_a_long_table_is_searched_as_a_short_one():
    """Every interval of a table is found, whatever their number."""
    for count in (2, 3, 64, 1000):
        law = ss.Tabulated([float(i) for i in range(count)], [1.0 + 0.1 * (i % 5) for i in range(count)])
        model = ss.System(ss.Contact(ss.Mass("block", 1.0), ss.ground, law=law))
        field = Field.of(model, target="python", order=8)
        for v in (0.0, 0.5, 1.0, count / 3, count - 1.5, count - 1.0, count + 10.0):
            assert field.evaluate([0.0, v], mode=[1]).kinetic[0] == pytest.approx(law.kinetic_value(v), rel=1e-14)


def test_a_formula_nested_without_end_is_a_sentence():
    def law(v, mu=0.3):
        for _ in range(3000):
            mu = mu * v + 0.001
        return mu

    with pytest.raises(ModelError, match="nested too deep"):
        derive(ss.System(ss.Contact(ss.Mass("block", 1.0), ss.ground, law=law)))


@pytest.mark.parametrize(
    "text", ["\x1b[31mred", "\x9b31m", "a\x9d0;b", "\u202egpj.exe", "[red]x[/red]", "[link=http://x]y[/]"]
)
def test_nothing_that_is_printed_commands_the_terminal(text, capsys):
    out = console()
    out.print(text)
    out.print(text, style="bold")
    printed = capsys.readouterr().out
    assert not set(printed) & set("\x1b\x9b\x9d\u202e")
    assert printed.splitlines() == [visible(text)] * 2


def test_styles_of_our_own_still_reach_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    console().print("\x1b[31mtitle", style="bold")
    assert capsys.readouterr().out == "\x1b[1m\ufffd[31mtitle\x1b[0m\n"
