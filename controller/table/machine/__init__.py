"""What the table stands on: its clock, its computer, the links to eyes and pockets, health and supervision."""
