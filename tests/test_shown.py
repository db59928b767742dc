"""Objects show themselves: short texts without addresses, cards of HTML in which nothing of a file is markup."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import stickslip as ss
from stickslip import notebook
from stickslip.symbolic.mathml import typeset

HOSTILE = "<script>alert(1)</script>&\"'"
VOID = {"br", "hr", "img", "input", "meta", "link"}


class Page(HTMLParser):
    """Every tag and text of a page; tags that do not match are an error."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)

    def cells(self):
        return [text.strip() for text in self.texts if text.strip()]


@pytest.fixture(scope="module")
def system():
    return ss.models.block_on_belt()


@pytest.fixture(scope="module")
def orbit(system):
    return ss.find_orbit(system)


def measured():
    v = np.linspace(0.01, 2, 100)
    return v, 0.4 / (1 + 3 * v) + 1e-3 * np.sin(97 * v)


@pytest.fixture(scope="module")
def things(system, orbit):
    """One of everything, with a number that its page must have."""
    t = np.linspace(0, 1, 400)
    swing = np.exp(-3 * t) * np.cos(40 * t)
    aging_times = np.linspace(0.1, 30, 40)
    over = {"belt.speed": [0.1, 0.2, 0.3]}
    return {
        "run": (ss.simulate(system, t=100), "17 changes of mode"),
        "sweep": (ss.sweep(system, over, times=(50, 50)), "3 of belt.speed"),
        "plan": (ss.plan_sweep(system, over, times=(50, 50), chunk=2), "3 points"),
        "orbit": (orbit, "12.0010312948"),
        "branch": (ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=5), "4.611989021"),
        "equilibrium": (ss.find_equilibria(ss.models.coulomb_oscillator())[0], "from -1 to 1"),
        "lyapunov": (ss.lyapunov(system, t=100), "-inf"),
        "returns": (ss.return_map(ss.models.forced_oscillator("II", eta=0.9), coordinate="x.block"), "x.block"),
        "fit": (ss.identify.fit_law(measured(), "hyperbolic"), "delta"),
        "comparison": (ss.identify.compare(measured(), ["hyperbolic", "coulomb"]), "hyperbolic"),
        "ringdown": (ss.identify.ringdown(t, swing, mass=2.0, stiffness=100.0), "3118"),
        "aging": (ss.identify.aging(aging_times, 2 - np.exp(-0.1 * aging_times)), "beta"),
        "reconstruction": (
            ss.identify.reconstruct(np.arange(0, 10, 0.01), np.cos(np.arange(0, 10, 0.01)), mass=1.0, noise=1e-3),
            "1000 samples",
        ),
        "system": (system, "0.2"),
        "filippov": (
            ss.Filippov(
                states=("x", "v"),
                contacts=("c",),
                f=lambda x, v, k=1.75: (v, -k * x),
                G=lambda x, v: ((0,), (1,)),
                h=lambda x, v: (v,),
                kinetic=1.0,
            ),
            "1.75",
        ),
    }


NAMES = [
    *("run", "sweep", "plan", "orbit", "branch", "equilibrium", "lyapunov", "returns", "fit", "comparison", "ringdown"),
    *("aging", "reconstruction", "system", "filippov"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_whole_and_says_what_matters(things, name):
    thing, expected = things[name]
    page = Page(thing._repr_html_())
    assert expected in page.text
    assert not {"script", "iframe", "object", "img"} & set(page.tags)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("run", "sweep")])
def test_a_text_is_short_and_has_no_address(things, name):
    text = repr(things[name][0])
    assert "0x" not in text
    lines = text.splitlines()
    assert len(lines) == 1 or name in ("system", "filippov")
    assert len(lines) <= 14 and max(map(len, lines)) < 160
    assert lines[0].startswith("<") and lines[0].endswith(">")


def test_the_parts_of_a_system_with_their_values():
    system = ss.models.block_on_belt().with_({"belt.speed": 0.25})
    assert repr(system).splitlines() == [
        "<System block_on_belt: 2 states, 1 contact, 6 parameters>",
        "  Mass block: m = 1",
        "  Belt belt: speed = 0.25",
        "  Spring spring (block – ground): k = 1",
        "  Contact contact (block – belt), Hyperbolic: normal = 1, mu_s = 1, delta = 3",
    ]


def test_large_systems_stay_short():
    chain = ss.models.chain(n=40)
    assert len(repr(chain).splitlines()) == 14
    page = Page(chain._repr_html_())
    assert "80 states" in page.text and "more" in page.text
    assert "math" not in page.tags


@pytest.mark.parametrize("name", ["block_on_belt", "two_blocks", "forced_oscillator", "lugre_block", "iwan", "chain"])
def test_equations_are_typeset_with_every_symbol(name):
    """As many rates as states, and every parameter of the equations has its letter and its owner."""
    model = getattr(ss.models, name)()
    found = typeset(model)
    assert len(found.rates) == len(model.states)
    assert list(found.contacts) == list(model.contacts)
    markup = "".join([*found.rates, *(text for lines in found.contacts.values() for _, text in lines)])
    Page(markup)
    for part in {full.partition(".")[0] for full in model.parameters}:
        assert re.search(rf"<mtext>([a-z0-9]+, )?{part}</mtext>", markup), part
    page = Page(model._repr_html_())
    assert page.tags.count("math") == len(found.rates) + sum(len(lines) for lines in found.contacts.values())


def test_newtons_law_stands_over_the_mass():
    rate = typeset(ss.models.block_on_belt()).rates[1]
    numerator, denominator = re.search(
        r"<mfrac>(.*)(<msub><mi>m</mi><mtext>block</mtext></msub>)</mfrac>", rate
    ).groups()
    assert numerator.count("<mi>λ</mi>") + numerator.count("<mi>&#955;</mi>") == 1
    assert denominator


def test_nothing_of_a_file_is_markup(system, orbit, tmp_path):
    about = ss.About(name=HOSTILE, title=HOSTILE, source=HOSTILE)
    block = ss.Mass("block", m=1.0, unit=HOSTILE)
    hostile = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, ss.Belt("belt", speed=0.2), law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0),
        about=about,
        time_unit=HOSTILE,
        start={"x.block": 1.1},
    )
    run = ss.simulate(hostile, t=50)
    run.attrs["status"] = HOSTILE
    found = [
        hostile,
        run,
        ss.load(ss.save(run, tmp_path / "run.nc")),
        ss.find_orbit(hostile),
        ss.lyapunov(hostile, t=20),
    ]
    for thing in found:
        page = Page(thing._repr_html_())
        assert "script" not in page.tags
        assert "<script>alert" in page.text, "it is there, as text"


def test_cells_are_escaped_and_long_tables_cut():
    page = Page(notebook.table([(HOSTILE, i) for i in range(100)]))
    assert set(page.tags) == {"table", "tr", "td"}
    assert page.cells()[0] == HOSTILE
    assert page.tags.count("tr") == notebook.MOST_ROWS + 1
    assert f"{100 - notebook.MOST_ROWS} more" in page.text


def test_runs_and_sweeps_have_a_line_on_top(things):
    run, swept = things["run"][0], things["sweep"][0]
    first, second, *_ = repr(run).splitlines()
    assert first == "Block on a moving belt, from 0 to 100, 17 changes of mode. The run reached the end time."
    assert second.startswith("<stickslip.Run>")
    once = ss.simulate(ss.models.block_on_belt(), t=10)
    assert repr(once).startswith("Block on a moving belt, from 0 to 10, 1 change of mode. The run reached")
    assert repr(swept).splitlines()[0] == "Block on a moving belt: 3 of belt.speed. The sweep is complete."
    assert "stickslip.Run" in run._repr_html_()
