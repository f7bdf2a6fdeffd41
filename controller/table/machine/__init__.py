"""What the table stands on: its clock, its computer, the links to vision and pockets, health and supervision."""
