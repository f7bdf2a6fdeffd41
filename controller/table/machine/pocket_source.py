"""Builds the source of beam events that a table is configured with."""

from __future__ import annotations

from collections.abc import Callable

from controller.config import PocketsSection
from controller.events.beams import BeamGap, PocketEvent
from controller.pockets.beam_map import beam_map
from controller.pockets.gpio_port import GpioPockets
from controller.pockets.gpiod_lines import GpiodLines
from controller.pockets.serial_port import SerialPockets
from controller.pockets.source import Emit, PocketSource, Store
from controller.table.machine.clock import NowNs


def remembering_gaps(keep: Callable[[BeamGap], object], emit: Emit) -> Emit:
    """Returns an `emit` that has gaps written down first, so that after a restart too it is known what is not known.

    Edges are written by `store`, before the node may forget them; a gap the node forgets as soon as it has reported it.
    """

    def emitted(event: PocketEvent) -> None:
        if isinstance(event, BeamGap):
            keep(event)
        emit(event)

    return emitted


def pocket_source(
    settings: PocketsSection, now_ns: NowNs, store: Store, emit: Emit, held: Callable[[str], int | None]
) -> PocketSource | None:
    """Returns the source, not yet started; None where the table has no beams.

    `held`: the number after the newest edge of that boot in the journal, None for an unknown boot.
    """
    if settings.kind == "none":
        return None
    beams = beam_map(settings.lines)
    if settings.kind == "gpio":
        lines = GpiodLines(settings.chip, tuple(beams.places))
        return GpioPockets(lines=lines, beams=beams, now_ns=now_ns, store=store, emit=emit)
    return SerialPockets(
        port=settings.port, node=settings.node, beams=beams, now_ns=now_ns, store=store, emit=emit, held=held
    )
