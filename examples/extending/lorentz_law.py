"""A friction law of one's own: it falls from its static to its kinetic coefficient as a Lorentz curve does."""

from dataclasses import dataclass

import stickslip as ss


@dataclass(frozen=True, eq=False)
class Lorentz(ss.FrictionLaw):
    """mu_k + (mu_s − mu_k)/(1 + (v/v_s)²): half of the fall is over at the speed `v_s`."""

    mu_s: float
    mu_k: float
    v_s: float

    rules = {"mu_s": "positive", "mu_k": "positive", "v_s": "positive"}  # noqa: RUF012

    @property
    def kinetic(self):
        """The coefficient in slip. Its parameters are those of the model: `contact.mu_s` and so on."""
        return lambda v, mu_s, mu_k, v_s: mu_k + (mu_s - mu_k) / (1 + (v / v_s) ** 2)


def system(speed: float = 0.1) -> ss.System:
    """A block on a belt with this law."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=speed)
    contact = ss.Contact(block, belt, law=Lorentz(mu_s=0.5, mu_k=0.3, v_s=0.2), normal=10.0)
    return ss.System(ss.Spring(block, ss.ground, k=100.0), contact)


if __name__ == "__main__":
    orbit = ss.find_orbit(system())
    print(f"period {orbit.period:.9f}, {orbit.signature}")
    data = ss.sweep(system(), {"belt.speed": [0.05, 0.1, 0.2, 0.4]}, times=(40.0, 20.0), observe="stick_to_slip")
    print(data["n"].values)
