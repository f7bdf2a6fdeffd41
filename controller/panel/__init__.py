"""Foul lamp, buzzer, buttons. Knows no rules."""
