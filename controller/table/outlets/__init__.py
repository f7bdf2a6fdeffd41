"""Where it is told: broker, panel, pages."""
