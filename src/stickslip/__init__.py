"""stickslip: machines that stick and slip, simulated exactly.

    import stickslip as ss
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, belt, law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0),
    )
    run = ss.simulate(system, t=100, start={"x.block": 1.1})
    ss.plot.phase(run)

Names are imported when they are first used, so that `import stickslip` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stickslip._version import __version__

if TYPE_CHECKING:
    from stickslip import identify as identify
    from stickslip import models as models
    from stickslip import plot as plot
    from stickslip import series as series
    from stickslip.branches.branch import Branch as Branch
    from stickslip.branches.branch import SpecialPoint as SpecialPoint
    from stickslip.branches.follow import follow as follow
    from stickslip.comparison import compare as compare
    from stickslip.cycles import last_cycle as last_cycle
    from stickslip.cycles import orbit_error as orbit_error
    from stickslip.energy import energy_balance as energy_balance
    from stickslip.field import Field as Field
    from stickslip.field import compile as compile
    from stickslip.methods.exact import Exact as Exact
    from stickslip.methods.fixed import Bisection as Bisection
    from stickslip.methods.fixed import Henon as Henon
    from stickslip.methods.smooth import Smooth as Smooth
    from stickslip.methods.switch import Switch as Switch
    from stickslip.methods.timestepping import TimeStepping as TimeStepping
    from stickslip.model.bristles import BristleContact as BristleContact
    from stickslip.model.dynamic import Dahl as Dahl
    from stickslip.model.dynamic import DieterichRuina as DieterichRuina
    from stickslip.model.dynamic import DynamicLaw as DynamicLaw
    from stickslip.model.dynamic import ElastoPlastic as ElastoPlastic
    from stickslip.model.dynamic import LuGre as LuGre
    from stickslip.model.dynamic import StateLaw as StateLaw
    from stickslip.model.errors import ModelError as ModelError
    from stickslip.model.files import load as load_model  # noqa: F401
    from stickslip.model.files import save as save_model  # noqa: F401
    from stickslip.model.formula import Formula as Formula
    from stickslip.model.functions import where as where
    from stickslip.model.laws import Coulomb as Coulomb
    from stickslip.model.laws import FrictionLaw as FrictionLaw
    from stickslip.model.laws import FunctionLaw as FunctionLaw
    from stickslip.model.laws import Hyperbolic as Hyperbolic
    from stickslip.model.laws import Polynomial as Polynomial
    from stickslip.model.laws import PoppStelter as PoppStelter
    from stickslip.model.laws import Stribeck as Stribeck
    from stickslip.model.laws import Tabulated as Tabulated
    from stickslip.model.parts import Base as Base
    from stickslip.model.parts import Belt as Belt
    from stickslip.model.parts import CompliantContact as CompliantContact
    from stickslip.model.parts import Contact as Contact
    from stickslip.model.parts import Damper as Damper
    from stickslip.model.parts import DynamicContact as DynamicContact
    from stickslip.model.parts import Force as Force
    from stickslip.model.parts import Mass as Mass
    from stickslip.model.parts import Rotor as Rotor
    from stickslip.model.parts import SmoothContact as SmoothContact
    from stickslip.model.parts import Spring as Spring
    from stickslip.model.parts import State as State
    from stickslip.model.parts import Torque as Torque
    from stickslip.model.parts import ground as ground
    from stickslip.model.scatter import Scatter as Scatter
    from stickslip.model.smoothing import smooth as smooth
    from stickslip.model.system import About as About
    from stickslip.model.system import Filippov as Filippov
    from stickslip.model.system import System as System
    from stickslip.orbits.equilibria import Equilibrium as Equilibrium
    from stickslip.orbits.equilibria import find_equilibria as find_equilibria
    from stickslip.orbits.find import find_orbit as find_orbit
    from stickslip.orbits.find import find_orbits as find_orbits
    from stickslip.orbits.guess import OrbitError as OrbitError
    from stickslip.orbits.orbit import Orbit as Orbit
    from stickslip.result import ResultError as ResultError
    from stickslip.result import interpolate as interpolate
    from stickslip.series.sound import Sound as Sound
    from stickslip.series.sound import to_wav as to_wav
    from stickslip.simulation import simulate as simulate
    from stickslip.status import Status as Status
    from stickslip.stopping import stops as stops
    from stickslip.storage import load as load
    from stickslip.storage import save as save
    from stickslip.sweeps.basins import Attractor as Attractor
    from stickslip.sweeps.basins import attractors_of as attractors_of
    from stickslip.sweeps.basins import basins as basins
    from stickslip.sweeps.exponents import Lyapunov as Lyapunov
    from stickslip.sweeps.exponents import lyapunov as lyapunov
    from stickslip.sweeps.layout import observation_of as observation_of
    from stickslip.sweeps.observation import SweepError as SweepError
    from stickslip.sweeps.observation import largest_exponent as largest_exponent
    from stickslip.sweeps.observation import maxima as maxima
    from stickslip.sweeps.observation import section as section
    from stickslip.sweeps.observation import signature as signature
    from stickslip.sweeps.observation import slip_to_stick as slip_to_stick
    from stickslip.sweeps.observation import stick_to_slip as stick_to_slip
    from stickslip.sweeps.observation import strobe as strobe
    from stickslip.sweeps.plan import Plan as Plan
    from stickslip.sweeps.prepare import plan_sweep as plan_sweep
    from stickslip.sweeps.probability import probabilities as probabilities
    from stickslip.sweeps.returnmap import ReturnMap as ReturnMap
    from stickslip.sweeps.returnmap import return_map as return_map
    from stickslip.sweeps.run import sweep as sweep

_HOME = {
    "stickslip.model.parts": (
        "Base", "Belt", "CompliantContact", "Contact", "Damper", "DynamicContact", "Force", "Mass", "Rotor",
        "SmoothContact", "Spring", "State", "Torque", "ground",
    ),
    "stickslip.model.dynamic": ("Dahl", "DieterichRuina", "DynamicLaw", "ElastoPlastic", "LuGre", "StateLaw"),
    "stickslip.model.bristles": ("BristleContact",),
    "stickslip.model.laws": (
        "Coulomb", "FrictionLaw", "FunctionLaw", "Hyperbolic", "Polynomial", "PoppStelter", "Stribeck", "Tabulated",
    ),
    "stickslip.model.scatter": ("Scatter",),
    "stickslip.model.system": ("About", "Filippov", "System"),
    "stickslip.model.errors": ("ModelError",),
    "stickslip.model.formula": ("Formula",),
    "stickslip.model.functions": ("where",),
    "stickslip.model.files": ("load_model", "save_model"),
    "stickslip.field": ("Field", "compile"),
    "stickslip.methods.exact": ("Exact",),
    "stickslip.methods.fixed": ("Bisection", "Henon"),
    "stickslip.methods.smooth": ("Smooth",),
    "stickslip.methods.switch": ("Switch",),
    "stickslip.model.smoothing": ("smooth",),
    "stickslip.cycles": ("last_cycle", "orbit_error"),
    "stickslip.methods.timestepping": ("TimeStepping",),
    "stickslip.comparison": ("compare",),
    "stickslip.simulation": ("simulate",),
    "stickslip.energy": ("energy_balance",),
    "stickslip.orbits.equilibria": ("Equilibrium", "find_equilibria"),
    "stickslip.orbits.find": ("find_orbit", "find_orbits"),
    "stickslip.orbits.guess": ("OrbitError",),
    "stickslip.orbits.orbit": ("Orbit",),
    "stickslip.branches.branch": ("Branch", "SpecialPoint"),
    "stickslip.branches.follow": ("follow",),
    "stickslip.storage": ("load", "save"),
    "stickslip.sweeps.observation": (
        "SweepError", "largest_exponent", "maxima", "section", "signature", "slip_to_stick", "stick_to_slip", "strobe",
    ),
    "stickslip.sweeps.probability": ("probabilities",),
    "stickslip.sweeps.layout": ("observation_of",),
    "stickslip.sweeps.plan": ("Plan",),
    "stickslip.sweeps.prepare": ("plan_sweep",),
    "stickslip.sweeps.run": ("sweep",),
    "stickslip.sweeps.basins": ("Attractor", "attractors_of", "basins"),
    "stickslip.sweeps.exponents": ("Lyapunov", "lyapunov"),
    "stickslip.sweeps.returnmap": ("ReturnMap", "return_map"),
    "stickslip.result": ("ResultError", "interpolate"),
    "stickslip.series.sound": ("Sound", "to_wav"),
    "stickslip.status": ("Status",),
    "stickslip.stopping": ("stops",),
}  # fmt: skip
_RENAMED = {"load_model": "load", "save_model": "save"}
_MODULES = ("identify", "models", "plot", "series")
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *_MODULES, *_WHERE]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"stickslip.{name}")
    if name not in _WHERE:
        raise AttributeError(f"stickslip has no {name!r}")
    value = getattr(importlib.import_module(_WHERE[name]), _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
