"""The campaign: random systems, the library against the referee and against itself.

python -m tests.campaign --minutes 10 --seed 1
python -m tests.campaign --seed 1 --only 17:3        # one system again, with everything that is known about it
"""

from __future__ import annotations

from tests.campaign.run import main

if __name__ == "__main__":
    main()
