"""Where it is published: broker, panel, pages."""
