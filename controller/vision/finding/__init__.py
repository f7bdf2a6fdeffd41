"""Finding the pieces at rest in one picture: class, centre and stated uncertainty of each; what is hidden is reported.

`find` is all that others need. Must not know where pictures come from or what carrom does with the pieces.
"""

from controller.vision.finding.find import Finding, find

__all__ = ["Finding", "find"]
