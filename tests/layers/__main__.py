"""`python -m tests.layers` draws the picture of the layers from the table in docs/architecture.md."""

from tests.layers.page import PAGE, layers
from tests.layers.picture import PICTURE, drawn

PICTURE.write_text(drawn(layers(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")
print(f"drawn: {PICTURE}")
