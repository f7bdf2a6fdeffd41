"""Watches the beams themselves: dead because the twin fired, dirty, chattering, or the net below is full.

Pure: events in, the same events out, health filled in. A pocket without a trustworthy beam is `blind`: the camera alone
watches it, and nothing stops.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from controller.events.beams import BeamEdge, BeamGap, BeamHealth, PocketEvent
from controller.pockets.beam_map import BeamMap, Place
from controller.pockets.pulses import MS, Passage, Pulses

FULL_NS = 3_000 * MS
"""A hand that collects pieces is gone by then; a net that stands up to the beam is not."""
MISSED = 3
"""A single beam misses some pieces by geometry (1.4 to 18 % by the bore); three in a row are no geometry."""
CHATTER = 100
"""Edges of one beam within a second that no play makes."""
SECOND = 1_000 * MS
CHATTER_HOLD = 5 * SECOND
"""A beam is called chattering, and not listened to, for so long after it last did."""


class BeamWatch:
    """What is wrong with which beam, from the events that go by."""

    def __init__(self, beams: BeamMap) -> None:
        self._fitted = beams.fitted
        self._pulses = Pulses()
        self._since: dict[Place, int] = {}
        self._missed: dict[Place, int] = dict.fromkeys(self._fitted, 0)
        self._edges: dict[Place, deque[int]] = {place: deque(maxlen=CHATTER) for place in self._fitted}
        self._chatter: dict[Place, int] = {}

    def see(self, event: PocketEvent) -> tuple[PocketEvent, ...]:
        """Takes one event, returns what is to be reported for it: itself, health with the beams' troubles filled in."""
        if isinstance(event, BeamEdge):
            self._edge(event)
        elif isinstance(event, BeamGap):
            self._pulses.forget()
        else:
            return (self._health(event),)
        return (event,)

    @property
    def dead(self) -> tuple[Place, ...]:
        """Beams that stayed still while their twin fired, three times running."""
        return tuple(place for place, count in self._missed.items() if count >= MISSED)

    @property
    def drowning(self) -> frozenset[Place]:
        """Beams that chatter so much that others could be lost in it: better not to listen to them for a while."""
        return frozenset(self._chatter)

    def _edge(self, edge: BeamEdge) -> None:
        place = (edge.pocket, edge.beam)
        if edge.blocked:
            self._since.setdefault(place, edge.t_ns)
        else:
            self._since.pop(place, None)
        if place in self._missed:
            self._missed[place] = 0
            recent = self._edges[place]
            if len(recent) == CHATTER and edge.t_ns - recent[0] < SECOND:
                self._chatter[place] = edge.t_ns
            recent.append(edge.t_ns)
        for passage in self._pulses.edge(edge):
            self._compare(passage)

    def _compare(self, passage: Passage) -> None:
        """A hand may well reach one beam only; a falling piece may not."""
        if passage.direction != "unknown" or len(passage.beams) != 1:
            return
        for place in self._fitted:
            if place[0] == passage.pocket and place[1] not in passage.beams and place not in self._since:
                self._missed[place] += 1

    def _health(self, health: BeamHealth) -> BeamHealth:
        if health.link != "up":
            pockets = tuple(dict.fromkeys(place[0] for place in self._fitted))
            return replace(health, blind=pockets)
        for passage in self._pulses.until(health.t_ns):
            self._compare(passage)
        for place in self._fitted:
            # The node's levels heal whatever edge was missed.
            if place in health.blocked:
                self._since.setdefault(place, health.t_ns)
            else:
                self._since.pop(place, None)
        self._chatter = {place: t for place, t in self._chatter.items() if health.t_ns - t < CHATTER_HOLD}
        stuck = {place for place, since in self._since.items() if health.t_ns - since >= FULL_NS}
        return self._judged(health, stuck)

    def _judged(self, health: BeamHealth, stuck: set[Place]) -> BeamHealth:
        says = [health.says] if health.says else []
        full, blind = [], []
        for pocket in dict.fromkeys(place[0] for place in self._fitted):
            here = [place for place in self._fitted if place[0] == pocket]
            lowest = here[-1] if len(here) == 1 else (pocket, "lower")
            useless = [place for place in here if place in stuck or place in self._chatter or place in self.dead]
            if lowest in stuck:
                full.append(pocket)
                says.append(f"empty the {pocket} net")
            elif stuck.intersection(here):
                says.append(f"{pocket} upper beam is blocked: clean it")
            says += [
                f"{' '.join(place)} beam chatters: shade it or check its wire"
                for place in here
                if place in self._chatter
            ]
            says += [
                f"{' '.join(place)} beam did not see what its twin saw: clean or check it"
                for place in here
                if place in self.dead
            ]
            if pocket in full or len(useless) == len(here):
                blind.append(pocket)
        return replace(health, full=tuple(full), blind=tuple(blind), says="; ".join(says))
