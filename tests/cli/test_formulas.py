"""Formulas and equations as a person writes them."""

import pytest

from stickslip.cli.equations import written
from stickslip.cli.formulas import readable
from stickslip.model import files
from stickslip.model.library import LIBRARY, block_and_pendulum, block_on_belt, bowed_string, two_blocks

NAMES = {"belt_speed": "belt.speed", "x_block": "x.block", "v": "|v_rel|"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-belt_speed + x_block", "x.block − belt.speed"),
        ("-belt_speed", "−belt.speed"),
        ("a*(b + c)*d", "a·(b + c)·d"),
        ("a/(b*c)", "a/(b·c)"),
        ("a/b/c", "a/b/c"),
        ("a - (b - c)", "a + c − b"),
        ("-a*b/(c - d)", "−a·b/(c − d)"),
        ("-(a + b)", "−a − b"),
        ("(a + b)**2", "(a + b)²"),
        ("a**(-b)", "a^(−b)"),
        ("2**x_block", "2^x.block"),
        ("exp(-v/v_s)", "exp(−|v_rel|/v_s)"),
        ("abs(a - b)", "|a − b|"),
        ("where(v <= 1.50, a, 0)", "where(|v_rel| ≤ 1.5, a, 0)"),
        ("Table(0, v)", "table(|v_rel|)"),
        ("1.0e-6*a", "1e−06·a"),
        ("0", "0"),
    ],
)
def test_readable(text, expected):
    assert readable(text, NAMES) == expected


def test_newtons_law_of_the_block_on_a_belt():
    text = written(block_on_belt())
    assert dict(text.rates) == {"x.block'": "v.block", "v.block'": "(−spring.k·x.block + λ)/block.m"}
    assert dict(text.contacts[0].lines) == {
        "sliding velocity": "v_rel = v.block − belt.speed",
        "kinetic limit": "R = contact.mu_s·contact.normal/(contact.delta·|v_rel| + 1)",
        "static limit": "S = contact.mu_s·contact.normal",
        "slip": "λ = −sign(v_rel)·R",
        "stick": "v_rel = 0 while |λ| ≤ S",
    }


def test_several_contacts_have_named_forces():
    rates = dict(written(two_blocks()).rates)
    assert rates["v.block2'"] == "(coupling.k·(x.block1 − x.block2) − spring2.k·x.block2 + λ.contact2)/block2.m"


def test_a_contact_on_two_masses():
    rates = dict(written(bowed_string()).rates)
    assert rates["v.torsion'"] == "(−twisting.k·x.torsion + λ)/torsion.m"


def test_a_mass_without_friction():
    rates = dict(written(block_and_pendulum()).rates)
    assert rates["v.pendulum'"] == "(coupling.k·(x.block − x.pendulum) − support.k·x.pendulum)/pendulum.m"


def test_a_system_given_by_equations():
    relay = files.loads(
        '[filippov]\nstates = ["x", "y"]\nf = ["y", "-a*x"]\nG = ["0", "-2"]\nh = "y"\nparameters.a = 1.0'
    )
    text = written(relay)
    assert dict(text.rates) == {"x'": "y", "y'": "−a·x − 2·λ"}
    assert text.contacts[0].lines[0] == ("switching function", "v_rel = y")


@pytest.mark.parametrize("name", LIBRARY)
def test_users_see_their_own_names(name):
    model = LIBRARY[name]()
    text = written(model)
    everything = " ".join([right for _, right in text.rates] + [line for c in text.contacts for _, line in c.lines])
    for parameter in model.parameters:
        assert parameter in everything
        assert parameter.replace(".", "_") not in everything
    assert "speed_" not in everything
