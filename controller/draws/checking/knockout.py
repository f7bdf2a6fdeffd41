"""A knock-out: size, byes, seeds, every entry once, the same club late, the third place and the consolation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from controller.draws.checking import apart
from controller.draws.checking.bracket import Leaf, Tree, check_shape, check_used, tree_of, used
from controller.draws.checking.facts import Facts, Line, Notes, Ref

ENTRIES, SIZE, BYES, SEEDS, FINAL = "every entry", "size", "byes", "seeds", "final"
CLUB, THIRD, CONSOLATION = "same club", "third place", "consolation"


def check_knockout(facts: Facts, notes: Notes, lines: Sequence[Line] | None = None) -> Tree | None:
    """Checks an event that is a knock-out. `lines`: those of it, all if left out. Returns its tree.

    Who is drawn of a groups' knock-out is for the caller to check.
    """
    whole = lines is None
    lines = facts.lines if lines is None else lines
    if not lines:
        notes.wrong(FINAL, facts.names.fixtures, "holds no match. Fix: a draw of two entries has a final")
        return None
    beside = {line.number for line in lines if line.round == "third" or line.round.startswith("C-")}
    main = [line for line in lines if line.number not in beside]
    if lines[-1].number in beside:
        notes.wrong(FINAL, lines[-1].where, f"{lines[-1].id!r} is the last line. Fix: the final is the last line")
        return None
    tree = tree_of(facts.lines, lines[-1].number)
    consolation = [line for line in lines if line.round.startswith("C-")]
    check_used(facts, notes, lines, {lines[-1].number, *_last(consolation), *_thirds(lines)})
    for line in main:
        if line.number not in tree.depths:
            notes.wrong(
                FINAL, line.where, f"{line.id!r} does not lead to the final. Fix: name its winner in a later round"
            )
    if whole:
        check_drawn(facts, notes, tree)
    if check_shape(facts, notes, tree, SIZE, lambda leaf: shown(facts, leaf)):
        notes.holds(
            SIZE, f"{len(tree.leaves)} in a bracket of {2**tree.height}, {len(main)} matches, the final is last"
        )
        if whole:
            drawn = {leaf.source for leaf in tree.leaves if isinstance(leaf.source, int)}
            check_seeds(facts, notes, tree, facts.seeds(drawn))
            check_club(facts, notes, tree, facts.seeds(drawn))
    _check_third(facts, notes, lines, tree)
    _check_consolation(facts, notes, consolation, tree)
    return tree


def shown(facts: Facts, leaf: Leaf) -> str:
    """Returns what a leaf is called in a sentence."""
    if isinstance(leaf.source, int):
        return facts.shown(leaf.source)
    return f"{leaf.source.kind} {facts.lines[leaf.source.line].id}" if leaf.source else "somebody"


def _last(lines: Sequence[Line]) -> set[int]:
    return {lines[-1].number} if lines else set()


def _thirds(lines: Sequence[Line]) -> set[int]:
    return {line.number for line in lines if line.round == "third"}


def check_drawn(facts: Facts, notes: Notes, tree: Tree) -> None:
    """Every entry that is not withdrawn stands in the bracket, and exactly once."""
    times = Counter(leaf.source for leaf in tree.leaves)
    for one in facts.entrants:
        if times[one.number] > 1:
            lines = sorted(leaf.line for leaf in tree.leaves if leaf.source == one.number)
            notes.wrong(ENTRIES, facts.lines[lines[1]].where, f"{one.shown!r} is drawn twice. Fix: every entry once")
        elif not times[one.number] and not one.until:
            notes.wrong(
                ENTRIES, one.where, f"{one.shown!r} is not drawn. Fix: every entry that is not withdrawn is drawn"
            )
    for leaf in tree.leaves:
        if not isinstance(leaf.source, int):
            notes.wrong(ENTRIES, facts.lines[leaf.line].where, "a loser goes on. Fix: nobody stays after losing")
    notes.holds(ENTRIES, f"{len(tree.leaves)} entries, each drawn exactly once")


def check_seeds(facts: Facts, notes: Notes, tree: Tree, seeds: Sequence[int]) -> None:
    """Byes go to the best seeds; 1 and 2 are in opposite halves, 3 and 4 in the other quarters, and so on."""
    at = {leaf.source: leaf for leaf in tree.leaves}
    byes = {leaf.source for leaf in tree.leaves if leaf.depth < tree.height}
    entitled = seeds[: len(byes)]
    for seed in entitled:
        if seed not in byes:
            where = facts.lines[at[seed].line].where
            notes.wrong(
                BYES, where, f"{facts.shown(seed)} has no bye, a weaker one has. Fix: byes go to the best seeds"
            )
    notes.holds(
        BYES, f"{len(byes)}, of which {len(entitled)} to the best seeds and the others by lot; none meets another"
    )
    sections = 2
    while sections // 2 < len(seeds) and sections <= 2**tree.height:
        by_section: dict[int, int] = {}
        for seed in seeds[:sections]:
            place = tree.place(at[seed]) >> (tree.height - (sections - 1).bit_length())
            other = by_section.setdefault(place, seed)
            if other != seed:
                says = f"seeds {facts.shown(other)} and {facts.shown(seed)} share one of the {sections} sections"
                notes.wrong(SEEDS, facts.lines[at[seed].line].where, f"{says}. Fix: the best {sections} stand apart")
                return
        sections *= 2
    notes.holds(SEEDS, f"{len(seeds)}: the best two in opposite halves, the best four in quarters, and so on")


def placed_of(tree: Tree, club: Callable[[int], str], fixed: Collection[int]) -> tuple[list[apart.Placed], list[Leaf]]:
    """Returns who stands where in a bracket, for `apart`; those in `fixed` stay where they are, with their byes. A bye
    that came by lot may be elsewhere: its empty place has nobody in it."""
    leaves = [leaf for leaf in tree.leaves if isinstance(leaf.source, int)]
    found = []
    for leaf in leaves:
        path = tuple((height, tree.place(leaf) >> height) for height in range(1, tree.height + 1))
        source = leaf.source if isinstance(leaf.source, int) else -1
        found.append(apart.Placed(club(source), path, source in fixed))
    for leaf, one in list(zip(leaves, found, strict=True)):
        if leaf.depth < tree.height and not one.fixed:
            found.append(apart.Placed(apart.NOBODY, one.path))
            leaves.append(leaf)
    return found, leaves


def check_club(facts: Facts, notes: Notes, tree: Tree, seeds: Sequence[int]) -> None:
    """Those who share a club meet as late as the places of the seeds allow."""
    if not facts.rules.apart:
        return
    placed, leaves = placed_of(tree, lambda number: facts.entrants[number].club, set(seeds))
    now = apart.pairs(placed)
    fewest, moves = apart.best(placed)
    names = _round_names(facts, tree)
    if moves:
        level = next(index for index, (many, few) in enumerate(zip(now, fewest, strict=True)) if many != few)
        who, place = next(move for move in moves if placed[move[0]].club != apart.NOBODY)
        notes.wrong(
            CLUB,
            facts.lines[leaves[who].line].where,
            f"{now[level]} pairs of one club can meet in {names[level]}, {fewest[level]} would do: among others "
            f"{shown(facts, leaves[who])} in the place of {shown(facts, leaves[place])}. Fix: draw again",
        )
    figures = [f"{many} pairs can meet in {name}" for many, name in zip(now, names, strict=True) if many]
    notes.holds(CLUB, f"{', '.join(figures) or 'no pair can meet'}; no draw with these seeds has fewer so early")


def _round_names(facts: Facts, tree: Tree) -> list[str]:
    """The rounds' names from the first one."""
    of_depth: Mapping[int, str] = {depth: facts.lines[line].round for line, depth in tree.depths.items()}
    return [of_depth.get(tree.height - height, str(height)) for height in range(1, tree.height + 1)]


# -- beside the bracket


def _check_third(facts: Facts, notes: Notes, lines: Sequence[Line], tree: Tree) -> None:
    semis = [side.ref.line for side in facts.lines[tree.root].sides if side.ref is not None]
    thirds = [line for line in lines if line.round == "third"]
    wanted = facts.rules.third_place and len(semis) == 2
    if len(thirds) != int(wanted):
        where = thirds[-1].where if thirds else facts.lines[tree.root].where
        says = "no match for the third place" if wanted else "a match for the third place that the event does not have"
        notes.wrong(THIRD, where, f"there is {says}. Fix: {'add it before the final' if wanted else 'leave it out'}")
        return
    if not wanted:
        return
    third = thirds[0]
    if {side.ref for side in third.sides} != {Ref("loser", semi) for semi in semis}:
        notes.wrong(THIRD, third.where, f"{third.id!r} is not of those who lost the semi-finals. Fix: write them there")
    if third.number != tree.root - 1:
        notes.wrong(THIRD, third.where, f"{third.id!r} does not stand right before the final. Fix: move it there")
    notes.holds(THIRD, "one match of those who lost the semi-finals, right before the final")


def _check_consolation(facts: Facts, notes: Notes, lines: Sequence[Line], main: Tree) -> None:
    """Who loses the first match goes on, once: not who plays for the third place. Where only one of two plays a first
    match, either is allowed: who lost is not known when the lines are written."""
    first: set[int] = set()
    mixed: set[int] = set()
    fresh = Counter(leaf.line for leaf in main.leaves)
    for number in main.depths:
        if fresh[number]:
            (first if fresh[number] == 2 else mixed).add(number)
    thirds = {side.ref.line for line in facts.lines if line.round == "third" for side in line.sides if side.ref}
    first -= {main.root} | thirds
    mixed -= {main.root} | thirds
    if not facts.rules.consolation:
        if lines:
            notes.wrong(
                CONSOLATION, lines[0].where, f"{lines[0].id!r} is of a consolation that is not held. Fix: drop it"
            )
        return
    if not lines:
        if len(first) > 1:
            where = facts.lines[main.root].where
            notes.wrong(CONSOLATION, where, "there is no consolation. Fix: those who lose their first match go on")
        return
    tree = tree_of(facts.lines, lines[-1].number)
    for line in lines:
        if line.number not in tree.depths:
            notes.wrong(
                CONSOLATION, line.where, f"{line.id!r} does not lead to the last match of the consolation. Fix: link it"
            )
    where_used = used(facts.lines)
    losers = {leaf.source.line for leaf in tree.leaves if isinstance(leaf.source, Ref)}
    for leaf in tree.leaves:
        if not isinstance(leaf.source, Ref) or leaf.source.line not in first | mixed:
            says = f"{shown(facts, leaf)} did not lose a first match"
            notes.wrong(CONSOLATION, facts.lines[leaf.line].where, f"{says}. Fix: only who did goes on here")
    for number in sorted(first - losers):
        if not where_used[Ref("loser", number)]:
            says = f"the loser of {facts.lines[number].id!r} does not go on"
            notes.wrong(CONSOLATION, facts.lines[number].where, f"{says}. Fix: who loses the first match goes on")
    check_shape(facts, notes, tree, CONSOLATION, lambda leaf: shown(facts, leaf))
    notes.holds(CONSOLATION, f"{len(tree.leaves)} who lose their first match play on in {len(lines)} matches")
