"""What tests of the table share."""

from tests.authority import authority

__all__ = ["authority"]
