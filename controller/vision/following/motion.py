"""How pieces move, said once for whoever predicts, fits or joins ways: sliding with friction, rebounding with loss.

Values of an ordinary powdered board. They only say where to look next and bound what a path too short to tell may have
done; what a longer path shows of its own braking is fitted from it.
"""

from __future__ import annotations

BRAKE_MM_S2 = 450.0
"""What friction takes off a sliding piece: a coefficient of 0.046. Boards measured lie between 0.03 and 0.13."""

LEAST_BRAKE_MM_S2 = 300.0
"""What even a freshly powdered board takes off (0.03): no piece runs on farther than this lets it."""

BOUNCE = 0.85
"""The share of their closing speed with which two pieces part."""

CUSHION_BOUNCE = 0.7
"""The share of its speed towards a cushion with which a piece comes off it."""
