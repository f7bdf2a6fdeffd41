"""Every limit that the readings depend on, with its reason. Must not be tuned to the measured cases.

Times in ns, lengths in mm, chances as shares of 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.events.observation import FOUND_AGAIN_MM

MS = 1_000_000
S = 1_000_000_000

SIGMA_OF_U95 = 1 / 2.448
"""A radius that holds 95 % of a two-dimensional normal error is 2.448 standard deviations."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How sure is sure, how late is late."""

    doubt_floor: float = 1e-3
    """Readings less likely than this beside the likeliest are not worth a doubt."""
    class_doubt_floor: float = 5e-3
    """… where only the class of what fell differs: classes err as rarely as their weights say; leaps, which the rest
    is about, more often."""
    foul_sigmas: float = 3.3
    """A placement is out of order only this many standard deviations beyond the limit (1 in 2000 at the limit)."""
    order_sigmas: float = 2.0
    """… and called clear of it this many inside."""
    least_margin_mm: float = 0.15
    """Painted edges themselves are not sharper than this."""
    placement_u95_mm: float = 4.0
    """A striker known no better than this was not seen where placement is concerned."""

    pulse_least_ns: int = 800_000
    """The shortest chord of a piece worth the name at the fastest fall; shorter is dirt or light."""
    piece_longest_ns: int = 200 * MS
    """From the upper beam broken to the lower one free again no piece that falls takes longer; fingers do."""
    pulse_join_ns: int = 3 * MS
    """Chatter: a beam that clears for less than this was broken all the time (pieces have no holes)."""
    beams_apart_ns: int = 250 * MS
    """The lower beam follows the upper one by no more than this when one piece passes both."""
    stuck_ns: int = 1500 * MS
    """A beam broken for longer is a hand, a full net or a piece that stuck."""
    before_ns: int = 60 * MS
    after_ns: int = 300 * MS
    """An interruption belongs to a stroke from this much before its first motion to this much after its last: what
    vanishes at the rim needs some 100 ms to the lower beam."""
    vanish_sigma_ns: int = 25 * MS
    """How well the camera knows when a piece fell beyond its own error: about a frame at 30 a second."""

    vanish_loose_ns: int = 100 * MS
    """… and when its track was lost on the way there."""
    stroke_ns: int = 2 * S
    """An interruption with no piece may come at any time of a stroke this long."""

    drop_reach_mm: float = 40.0
    """A piece that drops by itself hung at a pocket, or a knock of the table slid it in from no farther than this."""

    beam_misses: float = 2e-3
    """Chance that a healthy pocket does not feel a piece that falls."""
    beam_misses_blind: float = 0.6
    """… and one that is reported as blind or had a gap."""
    two_in_one: float = 0.9
    """Chance that two pieces make one interruption when the second follows while the first still breaks the beam."""
    two_in_one_ns: int = 80 * MS
    """… which one piece does no longer than this."""
    spurious: float = 2e-3
    """Chance of an interruption with nothing falling in a given stroke (insect, light)."""
    spurious_whole: float = 1e-4
    """… if it broke both beams in order and as briefly as a piece: no insect does."""
    spurious_hand: float = 0.3
    """… with a hand at the pocket."""
    spurious_like_a_piece: float = 0.02
    """… if it broke both beams in order and as briefly as a piece."""
    thrown_back: float = 0.3
    """… with a piece lying within `thrown_back_mm` of the pocket afterwards: the net threw it back."""
    thrown_back_mm: float = 60.0
    miscount: float = 1e-3
    """Chance that vision misses or invents one piece on a clear board at rest."""
    miscount_unsure: float = 0.05
    """… where vision and book did not agree before the stroke."""
    miscount_hidden: float = 0.3
    """… with part of the board hidden."""
    misread: float = 1e-5
    """Chance that counting the classes misleads beyond what the detection of each piece allows."""
    class_floor: float = 1e-4
    """No class has a higher probability than this from its detection alone."""

    beams_wait_ns: int = 150 * MS
    """A stroke with something unexplained waits until the beams have spoken up to its end and this much more."""
    never_wait_ns: int = 2 * S
    """… but never longer than this after vision reported it: play does not stop."""
    expectation_wait_ns: int = S // 2
    """The next reading waits this long for the ruling on the one before."""
    eyes_silent_ns: int = 5 * S // 2
    beams_silent_ns: int = 7 * S // 2
    """Silence that counts as down: both say something every second."""
    blind_quiet_ns: int = 5 * S // 2
    """Without a camera a stroke is over when no beam was broken for this long."""
    persist_ns: int = 900 * MS
    """A difference between board and book is reported when it has lasted this long with no hand over the board."""
    claim_ns: int = 4 * S
    """An interruption like a piece's that no stroke and no drop has claimed in this time is reported."""
    longest_ns: int = 12 * S
    """No stroke lasts longer: what was reported to move has been lost."""
    steady_ns: int = 250 * MS
    """A placed piece counts once the board has been at rest for this long."""
    keep_ns: int = 120 * S
    """Edges older than this can no longer belong to anything."""

    same_place_mm: float = FOUND_AGAIN_MM
    nudge_mm: float = 5.0
    """A piece put this far off its place is not nagged about."""
    shoved_mm: float = 40.0
    """A hand that lies over a piece shoves it no farther; what is seen farther off ran there, or is another."""
    restored_mm: float = 8.0
    push_mm: float = 45.0
    """A finger follows a struck striker some 10 to 20 mm; a hand that stays with it this far pushes."""
    shake_mm: float = 3.0
    half_mm: float = 90.0
    """A hand this far beyond the middle reaches over the opponent's half; fingers point some way past it."""
    diagonal_mm: float = 180.0
    """A hand may cross an arrow; something reaching this far over it is more than a hand."""
    arm_mm: float = 125.0
    """Outlines that reach in from one side within this width are one arm, seen in parts: two are wider side by side."""
    heading_deg: float = 2.0
    """Standard error of the direction of first motion where vision reports none."""
    delay_s: float = 60.0
    """Beyond every stroke clock; where one runs, it has spoken before."""
