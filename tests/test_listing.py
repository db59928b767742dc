"""What `help`, `dir` and tab completion show of parts, laws, methods and results is what a user may use."""

import inspect
import pydoc

import pytest

import stickslip as ss

PARTS = {
    "Mass": "(name, m, x=0.0, v=0.0, unit='')",
    "Rotor": "(name, inertia, x=0.0, v=0.0, unit='rad')",
    "Belt": "(name, speed=0.0)",
    "Spring": "(a, b, k=None, force=None, name='')",
    "Torque": "(on, torque=0.0, name='')",
    "Contact": "(on, against, law, normal=1.0, name='', *, scatter=None)",
    "SmoothContact": "(on, against, law, normal=1.0, name='', *, eps, shape='arctan')",
    "Coulomb": "(mu_s, mu_k=None)",
    "Tabulated": "(speeds, values, mu_s=None)",
    "LuGre": "(mu_s, mu_k, v_s, sigma_0, sigma_1=0.0, sigma_2=0.0)",
    "Exact": "(rtol=1e-12, order=None, most_steps=100000000, target='cpu')",
    "Parameter": "(name, value, unit='')",
    "System": "(*parts, about=None, name='', time_unit='', force_unit='', units=None, start=None)",
}
CLASSES = [name for name in ss.__all__ if inspect.isclass(getattr(ss, name))]
OURS = [name for name in CLASSES if type(getattr(ss, name)).__name__ == "Listing"]
MACHINERY = ("rules", "dimensions", "varying", "internal_states", "check", "structure", "given", "integrate", "noun")


@pytest.mark.parametrize("name", PARTS)
def test_signatures_are_in_plain_names(name):
    assert str(inspect.signature(getattr(ss, name))) == PARTS[name]


def test_every_part_law_method_and_result_is_listed():
    plain = {name for name in CLASSES if name not in OURS}
    assert plain == {"Basins", "Run", "Status", "StickslipError", "Sweep"}  # what xarray, enum and Python list


@pytest.mark.parametrize("name", OURS)
def test_help_is_not_about_how_the_class_is_made(name):
    text = pydoc.render_doc(getattr(ss, name), renderer=pydoc.plaintext)
    shown = {line[4:].split("(")[0].split(" =")[0] for line in text.splitlines() if line.startswith(" |  ")}
    assert not shown & {*MACHINERY, "__match_args__", "__dataclass_fields__", "__init__", "__eq__", "__dict__"}
    assert not any(each.startswith("_") for each in dir(getattr(ss, name)))


def test_instances_list_what_they_are_made_of_and_what_can_be_asked():
    system = ss.models.block_on_belt()
    contact = system.parts["contact"]
    assert dir(contact) == ["against", "kind", "law", "name", "normal", "on", "scatter"]
    assert {"mu_s", "delta", "parameters", "kinetic_value", "with_aging"} <= {*dir(contact.law)}
    assert not {*MACHINERY} & {*dir(contact.law), *dir(system), *dir(ss.Exact())}
    assert {"with_", "smoothed", "states", "contacts", "parameters", "start", "parts"} <= {*dir(system)}


def test_all_that_is_listed_is_there():
    system = ss.models.block_on_belt()
    contact = system.parts["contact"]
    law = ss.LuGre(mu_s=1.0, mu_k=0.6, v_s=0.2, sigma_0=100.0)
    plan = ss.plan_sweep(system, {"belt.speed": [0.1]}, times=(1, 1))
    for thing in (system, contact, contact.law, law, ss.Exact(), ss.Switch(), ss.observe.Strobe(), system.about, plan):
        assert all(hasattr(thing, name) for name in dir(thing)), thing


def test_lists_name_nothing_that_is_gone():
    system = ss.models.block_on_belt()
    things = [ss.LuGre(1.0, 0.6, 0.2, 100.0), ss.Coulomb(0.4), ss.Switch(), ss.Exact(), system, ss.Mass("block", 1.0)]
    for thing in things:
        listed = {name for each in type(thing).__mro__ for name in vars(each).get("_listed", ())}
        assert all(hasattr(thing, name) for name in listed), listed
