"""How one trajectory is integrated: one method per file. A method is a frozen value."""
