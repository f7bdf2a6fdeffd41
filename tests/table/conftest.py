"""What tests of the table share."""

from tests.authority import authority
from tests.table.checking import folder

__all__ = ["authority", "folder"]
