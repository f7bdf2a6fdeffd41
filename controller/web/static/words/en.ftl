# The pages' words in English. `catalogues` in tests/web hold every language against this one.

## What the pages are called
scoreboard = Scoreboard
umpire = Umpire
hall = For the hall
pages = Pages
more = More
alerts = Alerts
strokes = Strokes and rulings
language = Language
replay = Slow motion
voice = Speak rulings aloud
voice-none = Speak rulings aloud: no voice for this language here

## Whether the table watches
watch-armed = Watching
watch-degraded = Partly
watch-off = By hand
watch-stopped = Stopped
watch-lost = No connection
watch-starting = Setting up
simulated = Simulated
setting-up-camera = setting up the camera…
lost-since = last heard { $time }
last-seen = last seen { $time }
never-seen = not seen yet
trouble-camera-stalled = camera sends no pictures
trouble-camera-lost = camera is gone
trouble-camera-blind = camera does not see the board
trouble-camera-silent = camera says nothing
trouble-camera-away = camera is starting or away
trouble-node-down = pocket sensors are silent
trouble-node-stale = pocket sensors are silent
trouble-node-restarting = pocket sensors keep restarting
trouble-broker-lost = displays are cut off
trouble-broker-refused = displays are refused
trouble-beams = pocket { $pockets } is blind
trouble-journal = nothing is being saved
trouble-disk = the disk is full
trouble-part = a part has failed

## Pieces, seats, states
piece-white = white
piece-black = black
piece-queen = queen
piece-striker = striker
piece-unknown = unknown
pieces = { $count ->
    [one] { $piece }
   *[other] { $count } { $piece }
  }
piece-in = { $piece } in { $pocket }
pieces-of = { $pieces } of { $side }’s
seat-south = South
seat-north = North
seat-east = East
seat-west = West
nobody = nobody
nothing = nothing
yes = yes
no = no
state-idle = No match
state-trial = Trial board
state-playing = Playing
state-paused = Stopped
state-board_over = Board over
state-match_over = Match over
board = Board
board-number = Board { $board }
game-board = Game { $game }, board { $board }
clock = Stroke clock
seconds = { $count } s
round-left = Round: { $count } min
round-last = Last board of the round
to-play = to play
won = won
doubt = an open question may change this
sign-left = { $count } { $piece } left on the board
sign-hand = { $count } in hand
sign-queen-pending = the queen, not yet covered
sign-queen-covered = the queen, covered
sign-due = owes { $count }
sign-games = { $count ->
    [one] one game won
   *[other] { $count } games won
  }
course = The course of the match
wins-points = wins { $count }

## A ruling in one sentence
says-foul = Foul by { $name }: { $what }
says-void = The stroke is taken back
says-drawn = The board is drawn
says-board = { $name } wins the board with { $points ->
    [one] 1 point
   *[other] { $points } points
  }
says-match = { $name } wins the match
says-given-forfeit = { $name } forfeited
says-given-disqualify = { $name } was disqualified
says-given-concede = { $name } conceded
says-match-over = The match is over
says-pays = { $name } pays { $count }
says-pays-owes = { $name } pays { $count } and owes { $owed }
says-owes = { $name } owes { $count }
says-back = put back: { $pieces }
says-off = take off: { $pieces }
says-asks = a question is open
says-plays-on = { $name } plays on
says-to-play = { $name } to play
says-score = The score: { $points }
event-start = The match begins
event-set = The umpire has set the position
event-override = The umpire has set a figure
event-correct = A stroke is corrected
event-answer = A question is answered
challenge-of = { $name } challenges: { $about }. The score stands until the verdict.
challenge-lines = lines
challenge-contact = contact
challenge-count = what fell
challenge-foul = the foul
challenge-missed_foul = a foul not called
challenge-time = time
event-challenge = A stroke is challenged
event-verdict = A challenge is decided
says-verdict = Challenge: { $result }
verdict-upheld = upheld
verdict-rejected = rejected
verdict-inconclusive = not clear, it stands
says-challenges-left = Challenges left: { $left }
event-placed = Pieces are placed
event-pause = Play is stopped
event-resume = Play goes on
event-play = The umpire calls play
event-trial = Trial board
event-next_board = The next board begins
event-timeout = The stroke clock ran out
event-pass = The stroke is passed
event-seats = The players change seats
event-drop = A piece fell without a stroke
event-seen = The camera saw something
event-claim = Points are claimed
event-call = The umpire has called
event-round_over = The round's time is over

## The ruling in full
ruling = Ruling
ruling-number = Ruling { $seq }
nothing-ruled = Nothing has been ruled yet.
provisional = provisional
to-confirm = to confirm
not-saved = told, not yet saved
comes-back = { $piece } comes back
not-watched = not watched: { $facts }
changed = { $count ->
    [one] One earlier ruling is different now
   *[other] { $count } earlier rulings are different now
  }
taken-back = taken back
told = by a person
fix-stroke = Fix stroke { $seq }
place-now = To be placed now:
take-off = To be taken off:
place-ring = inside the outer circle
place-at = where the ring is drawn
place-centre = on the centre
answer-none-of-these = none of these
answer-replay-the-stroke = stroke again
answer-foul = foul
answer-no-foul = no foul
answer-seen = we put it right
answer-it-was-put-back = it was put back
answer-it-counts = it counts
answer-play-on = play on
answer-set-the-board-up-anew = set the board up anew
answer-accept-the-board-as-it-lies = accept the board as it lies
answer-it-fell-into-a-pocket-with-no-stroke = it fell into a pocket with no stroke
answer-it-lies-on-the-board = it lies on the board
answered-pocketed = { $value }
answered-pocketed-none = nothing fell
answered-off-board = off the board: { $value }
answered-off-board-none = nothing left the board

## The console: its frame
login-why = The scoreboard is for everybody; calls and answers are the umpire's.
pin = PIN
open-console = Open the console
back-to-scoreboard = Back to the scoreboard
tab-now = Now
tab-strokes = Strokes
tab-board = Board
tab-table = Table
stop = Stop
play = Play
improper = Improper stroke
fix = Fix
call = Call
next-board = Next board
new-match = New match
close = Close
undo = Undo
undone = Taken back: as it stood before
taken = Taken.
not-reached = The table cannot be reached.
do-it = Do it
leave-it = Leave it as it is
changes-rulings = { $count ->
    [one] One earlier ruling becomes another.
   *[other] { $count } earlier rulings become others.
  }
changes-nothing = No figure of the score changes.
strokes-tap = Tap a stroke to fix it.
match = Match
time-up = Time is up
passes = { $name } passes
other-call = Another call
round-by-hand = Round: end it by hand
end-round = End the round
round-goes-on = The round goes on
challenge = Challenge
challenge-why = Another look at the latest stroke, until the next one. Play waits for the verdict.
challenge-left = { $name }: { $count } left
challenge-upheld = Upheld
challenge-rejected = Rejected
challenge-inconclusive = Not clear
challenge-say-why = Say why
challenge-reason = Why: everybody reads it
challenge-by = Who decides
jury = Jury
jury-you = You decide as { $name }.
jury-none = No challenge waits here.
jury-not-let-in = This device is not let in as a jury. Open the challenge on the club's referees' page.
by-hand = Score by hand
single-keys = Single keys and foot switch
leave = Leave
who = Who is logged in
this-one = this one
session-since = since { $began }, last seen { $seen } · { $browser }
end = End
end-others = End all others
guessing = Somebody has been guessing the PIN. Write a new one to its file: every session ends then.
board-above = The board seen from above
past = Past matches
past-none = No match is recorded yet.
past-reading = The match is being ruled again…
past-pdf = Score sheet (PDF)
past-csv = Strokes (CSV)
protest = Protest
protest-of = Protest against the ruling on stroke { $seq }
protest-terms = The event's terms: { $terms }.
protest-no-terms = This match's event names no terms. Ask who leads it.
protest-by = Who protests
protest-names = with the names of people
protest-why = One signed file with events, clip, beams and clauses. It also holds what was raised and not confirmed: give it to the jury alone.
protest-make = Save the file
past-png = Result as a picture
not-over = not over

## The console: the card
question = Question
of-count = { $at } of { $count }
ask-piece-in = Which piece fell in { $pocket }?
ask-piece = Which piece fell?
ask-all = What fell, and what left the board?
ask-seat = Who struck?
ask-fact = { $fact }: what is true?
ask-put-back = Stroke { $seq } by { $name } was put back as out of turn, and it was its turn. Does it count?
ask-colour = Which colour does { $name } play on the tie-break board?
ask-board-moved = Pieces lie elsewhere than after the last stroke.
ask-board-due-not-placed = Due, and not on the board: { $pieces }.
ask-board-count = { $late ->
    [yes] { $seen } { $piece } lay here when it was struck, the score says { $known }
   *[other] { $seen } { $piece } { $seen ->
        [1] lies
       *[other] lie
      } here, the score says { $known }
  }
ask-board-not-set-up = The board is not set up for the break.
ask-board-unseen-change = The board has changed while nobody saw it.
later = Later
says = { $name } says
answer = Answer: { $said }
foul-to-confirm = Foul to confirm
confirm = Confirm
wave-away = Wave away
waved-away = Waved away
no-alert = No alert stands.
settled-device = Settled at another umpire's device.
settled-elsewhere = Answered elsewhere: by a button, a player or over the network.
settled-overtaken = Overtaken: { $what }
settled-match = Another match has begun.
settled-table = The table no longer asks: it is settled.
still-picture = Still
measured = { $right ->
    [yes] Legal by { $margin } mm
    [no] Beyond the limit by { $margin } mm
   *[other] Too close to call: { $margin } mm
  }
pictures-gone = These pictures are no longer kept.
frame-by-frame = Picture by picture: drag, or the arrow keys; a tap magnifies
frame-of = picture { $at } of { $count }
look-run = Run
look-stop = Stand
look-whole = The whole board
look-near = Nearer
look-before = { $seconds } s before the first motion
look-after = { $seconds } s after the first motion
look-beams = When each beam was broken
look-line-outer = outer base line
look-line-inner = inner base line
look-measured = { $what }: { $margin } ± { $within } mm { $right ->
    [yes] from the limit
    [no] beyond the limit
   *[other] from the limit, too close to call
  }
look-every = Of { $count } pictures one was kept.
look-lost = { $count ->
    [one] One picture is missing in between.
   *[other] { $count } pictures are missing in between.
  }
challenge-ruled = How it was ruled
play-stroke = Watch
picture-in-question = the picture in question
felt = What was felt
felt-in = { $what } in { $pocket } after { $seconds } s, felt by { $beams }
felt-sure = this reading: { $percent } % sure
beam-upper = the upper beam
beam-lower = the lower beam
lobby-why = Who plays? Names, book and who breaks, or a friendly game in one tap.
claim = Claim { $count } on demand
claim-why = { $name } may ask for { $count ->
    [one] one point more
   *[other] { $count } points more, or part of them
  } until the next board begins.

## The console: fix
fix-stroke-of = Fix stroke { $seq } · { $name }
reading-swapped = it was { $piece }
reading-fewer = no { $piece }
reading-more = and { $piece }
reading-nothing = nothing fell
reading-struck-by = { $name } struck
drawn-as-it-lies-now = The board is drawn as it lies now, not as it lay after this stroke.
tap-drawing = Else tap a piece, then where it is or fell; or the pocket, then what fell.
drawing-chosen = Tap where { $piece } lies, or the pocket it fell into.
camera-sees-it = The camera sees { $piece } where it is drawn. If it fell, tap its pocket.
replay-again = Show the replay in the hall again
replay-shown = The replay is shown in the hall.
fell-in = Fell in { $pocket }:
everything-else = Everything else about the stroke
correct-so = Correct it so
take-stroke-back = Take the stroke back
fell-pocket = Fell into a pocket
left-board = Left the board
struck-by = Struck by
placement-stroke = Placement and stroke
seen-by-umpire = Seen by the umpire
add-piece = Add a piece
remove = remove
in-order-crossed-baseline = enough
not-known = not known
value-both = both
value-one = one
value-none = none
value-clear = clear
value-covered = covered
value-partial = partly covered
value-forward = forward
value-backward = backward

## The console: what would change
change-void = Stroke { $seq } does not count
change-counts = Stroke { $seq } counts
change-foul = Stroke { $seq }: foul, { $what }
change-no-foul = Stroke { $seq }: no foul ({ $what })
change-due = Stroke { $seq }: { $what }
change-no-due = Stroke { $seq }: no more “{ $what }”
change-back = Stroke { $seq }: { $pieces } comes back
change-stays = Stroke { $seq }: { $pieces } does not come back
change-score = { $now ->
    [one] { $name }: 1 point, not { $was }
   *[other] { $name }: { $now } points, not { $was }
  }
change-games = { $name }: { $now } games, not { $was }
change-owed = { $name } owes { $now }, not { $was }
change-left = { $name } on the board: { $now }, not { $was }
change-turn = { $now } plays, not { $was }
change-no-turn = Nobody is to play
change-queen = The queen: { $now }, not { $was }
change-board-goes-on = The board goes on
change-match-goes-on = The match goes on
change-clause = Ruling { $seq }: { $what } applies
change-no-clause = Ruling { $seq }: { $what } applies no more
change-known = Ruling { $seq }: { $what }: known now
change-unknown = Ruling { $seq }: { $what }: not known any more
change-note = Ruling { $seq }: { $what }
change-seat = Ruling { $seq }: { $now } played, not { $was }
queen-board = on the board
queen-pending = waits for her cover
queen-covered = covered
queen-pending-by = { $name } has yet to cover her
queen-covered-by = { $name } has covered her

## The console: calls
calls = Calls of the book
improper-of = Improper stroke by { $name } (stroke { $seq })
find-clause = Find a clause
then-cited = nothing follows; it can be cited
then-the-stroke-is-fouled = the stroke is fouled
then-nothing-follows-it-can-be-cited = nothing follows; it can be cited
then-one-due-and-the-turn-if-that-side-has-it = one due, and the turn if that side has it
then-the-board-goes-to-the-other-side-by-the-offender-s-pieces-and-the-queen-left = the board goes to the other side by the offender's pieces and the queen left
then-the-side-loses-the-match = the side loses the match
then-the-board-is-played-again-with-the-same-break = the board is played again with the same break
then-the-side-is-disqualified-and-loses-the-match = the side is disqualified and loses the match
then-a-warning-first-then-a-foul-of-its-own-one-due-and-the-turn-if-that-side-has-it = a warning first, then a foul of its own: one due, and the turn if that side has it
then-pieces-are-put-back-as-they-were = pieces are put back as they were
then-the-stroke-is-taken-back-and-played-again = the stroke is taken back and played again
then-a-warning-then-a-foul-points-or-disqualification-as-the-umpire-chooses = a warning; then a foul, points or disqualification as the umpire chooses
then-a-guided-procedure-on-the-console = a guided procedure on the console
then-the-board-ends-level = the board ends level
then-as-the-outcome-of-the-stroke-says = as the outcome of the stroke says
then-decided-by-the-score = decided by the score
then-signed-off-before-the-match = signed off before the match
book-clauses = The clauses of the book
book-none = No match is under way: no book is played by.
book-settled = changed by { $keys }
action-warn = warn
action-foul = foul
action-deduct = deduct points
action-draw = draw
action-forfeit = forfeit
action-disqualify = disqualify
action-wave_off = wave off
show-changes = Show what changes
what = What
against = Against
clause = Clause
points = Points
reason = Reason

## The console: by hand, rescue
hand = Score by hand
hand-for = By hand: { $name }
hand-add = +1 { $piece }
hand-miss = Miss
stroke-done = That was the stroke
stroke-anew = Start again
hand-same = and, same stroke
hand-undo = Undo last stroke
rescue = Set score and board right
rescue-go = Play on from here
less = less: { $what }
more-of = more: { $what }
points-of = Points of { $name }
left-of = Left on the board: { $piece }
owed-by = Owed by { $name }
turn = To play
who-is-white = Who is white

## The console: board and seats by hand
to-be-laid = To be laid on the board
laid-count = { $laid } of { $count } in place
lies-there = lies there
placed-by = { $name } places one { $piece }
board-and-seats = Board and seats
nothing-by-hand = Nothing can be done with the board now.
do-restore = Put the pieces back
do-restore-why = As they lay after the last stroke: each is ticked when the camera sees it in place.
do-reshuffle = Reshuffle
do-reshuffle-why = Play stops; what is left is laid in the neutral formation. Turn, hands and scores stay.
do-replay-stroke = Stroke again
do-replay-stroke-why = The last stroke does not count; the same side strikes again.
do-replay-board = Replay the board
do-ends = Change ends
do-ends-why = Everybody moves to the opposite seat.
do-round = One seat on
do-round-why = Everybody moves one seat to the right.
do-toss = { $name } breaks
do-toss-why = Opens the next board; a toss has decided.
it-lies-so = It lies as it should: play on
all-lies = All in place: play on
times = Time appeal
times-limit = Each stroke's time, newest first. The limit is { $count } s.
times-no-limit = Each stroke's time, newest first. This book has no limit.
times-none = No time has been recorded: the camera has timed no stroke yet.
time-over = over time
uphold = Uphold: { $name } was too late
reject = Reject
appeal-upheld = Time appeal upheld
appeal-rejected = Time appeal rejected

## The console: from a stand to a table that may umpire
arm = Get the table ready
arm-signed = Signed by { $name } at { $time }.
arm-not-signed = Nobody has signed for this table yet.
arm-name = Your name
arm-sign = Sign: this table may umpire
arm-done = done
arm-missing = { $count ->
    [one] One thing is missing. You may sign all the same; it is written down.
   *[other] { $count } things are missing. You may sign all the same; it is written down.
  }
arm-all = Everything is there.
arm-journal = What is ruled is saved
arm-journal-how = Make room on the disk, or put the card right.
arm-broker = Displays are reached
arm-broker-how = Look at the broker and the network.
arm-beams = Pocket sensors answer
arm-beams-how = Plug in the node; wipe the lenses of a blind pocket.
arm-camera = The camera sees the board
arm-camera-how = Plug it in, and point it at the whole board.
arm-registration = The camera hangs where it was calibrated
arm-registration-how = Put it back as it hung, or set it up anew: the button below.
arm-coin = A coin through { $which }
arm-coin-how = Drop a coin into the pocket { $which }.
arm-rack = The opening arrangement is read
arm-rack-how = Set it up, all pieces touching, hands away.
arm-striker = The striker of { $which }
arm-striker-how = Place it between the base lines of { $which }, hand away.

## The console: the camera is set up anew
camera-anew = Set the camera up anew
camera-go-on = The camera is being set up: go on
camera-why = For a camera that hangs otherwise than before: the empty board, then the pack, two pictures at a tap. Nothing is watched meanwhile.
camera-in-play = A board is in play. It stands still meanwhile; where the pieces lay is kept and shown afterwards, to be laid again.
camera-begin = Begin
camera-stop-begin = Stop play and begin
camera-grade = The camera is calibrated now: grade { $grade }.
camera-no-eyes = The camera cannot be set up from here: its program does not answer, or it was never calibrated with the lens target.
camera-step = { $step } of 2: { $title }
camera-empty = the empty board
camera-empty-how = Take every piece off the board, hands away. Then tap.
camera-empty-take = The board is empty: take it
camera-opening = the pack
camera-opening-how = Set up the opening arrangement: all pieces touching, no striker, hands away. Then tap.
camera-opening-take = The pack is there: take it
camera-still = Hold still…
camera-judging = It is being looked at…
camera-picture = What the camera sees, with what was found of the board drawn over it
camera-south-bottom = South sits at the bottom of this picture.
camera-south-left = South sits at the left of this picture.
camera-south-top = South sits at the top of this picture.
camera-south-right = South sits at the right of this picture.
camera-turn = No: turn by one side
camera-again = From the beginning
camera-leave = Leave it as it was
camera-done = The new calibration is in force: grade { $grade }.
camera-notes = What is to be known of it
camera-close = Go on
camera-undo = Undo: the one before

## The console: the lobby
players = Players
singles = Singles
doubles = Doubles
rulebook = Rulebook
no-toss = no toss
toss-won = Won the toss
toss-chose = Chose
toss-break = to break
toss-side = the seat
breaks = Breaks
friendly = Friendly game
friendly-why = As they sit, by this book, at once.
fixture = Fixture
fixture-open = not known yet
no-fixture = (none: typed below)
fixture-is-it = It is { $what }
begin = Begin the match
ends-here = The match under way ends here, at { $points }. It stays in the journal.

## The console: what is watched
watched-now = What the table rules on by itself
count-watched = clauses that it sees: { $count }
count-on-call = that you call: { $count }
count-unwatched = that nobody watches: { $count }
group-watched = The table sees these
group-on-call = You see these, and call them
group-unwatched = Nobody watches these: the sensors here cannot tell
not-seen = not seen: { $facts }

## Other devices: codes, the sides' own pages
pairing = Other devices
pairing-why = A second umpire's device comes in by a code that it scans: no PIN is typed.
pairing-why-players = The players decide: each side scans its own code and has its own buttons.
pair-umpire = Another umpire's device
pair-side = A device for { $name }
code-picture = A code for the other device's camera
code-why = Scan it with the other device's camera. It lets one device in, within { $count } minutes.
other-device = Another umpire's device: { $what }
join = Come in
join-why = This device is let in once, by the code that was scanned.
join-go = Let this device in
join-refused = This code has been used or is too old. Ask for a new one.
player = Player
decides = Who decides
decides-umpire = an umpire
decides-players = the players
decides-referee = a referee of many tables
umpire-decides = In this match the umpire decides.
not-let-in = This device has not been let in for a side. Scan the side's code.
both-answer = Both sides answer. Where they differ, what is in order stands.
other-answers = Your side has answered; the other has yet to.
waits-for-other = Said. It is done when the other side wants it, too.
you-want = You want: { $what }
they-want = { $name } wants: { $what }
agree = Agree
do-not-agree = No
own-foul = My foul
their-foul = Their foul
stroke-back = Take the last stroke back

## The club's pages
club-tables = The club's tables
club-pages = Pages
club-count = { $count ->
    [one] one table
   *[other] { $count } tables
  }
club-none = No table has been heard of yet.
club-unreached = The hub does not reach the broker: { $says }
club-left-out = No place for: { $names }
club-all = All tables
club-day = The day
club-hall = Hall screen
club-referee = Referee
club-lamp-ask = needs a referee
club-lamp-fault = needs a look
club-lamp-fine = plays by itself
club-lamp-off = away
club-lamp-unknown = not heard yet
club-lamp-cut = no line to it; it plays on
club-since = since { $time }, { $long }
club-just-now = just now
club-minutes = for { $count } min
club-hours = for { $count } h
club-state = { $state } · { $lamp }
club-waiting = What waits for somebody
club-rulings = Last rulings
club-no-rulings = None has been heard since the club's page was started.
club-console = Open the table's console
club-jury = Look and decide
club-jury-name = Your name
club-answer = Answer at the table's console
club-no-page = This table does not say where its own pages are (web.address).
club-picture = Picture
club-look = Look
club-log-in = Log in
club-log-out = Log out
club-referee-why = The tables are for everybody; what is not yet confirmed is the referees'.
club-mine = Tables of
club-referee-none = Nothing waits for a referee.
club-referee-open = { $count ->
    [one] one table waits
   *[other] { $count } tables wait
  }
club-see-table = A question is open; the table's console shows it.
club-chime = Chime while a question waits
club-silent = This browser keeps the page silent until you touch it.
club-results = Results
club-next = To be played
club-next-matches = Next matches
club-on-tables = On the tables
club-files = Results as a file, or print this page:
club-no-results = No match has ended yet.
club-no-fixtures = No fixtures have been published, or all are played.
club-now = now
club-stage = State
club-called = called
club-early = called from { $time }
club-after = after { $who }
club-on-day = on { $day }
club-held = waits for { $who } ({ $table })
club-held-anywhere = waits for { $who }
club-rests = { $who } rests until { $time }
club-queues = next free table
club-about = about { $time }
club-ends = The last match ends about { $time }
club-holds-tables = more tables would end it sooner
club-holds-table = { $who } has most to play
club-holds-person = { $who } has most to play
club-holds-match = the matches after { $who } come one after the other
club-any-table = any
club-another-table = Another table
club-table-aside = set aside
club-pool-tables = Tables
club-pool-tables-why = A match without a table of its own is given the next free one. A table that is set aside takes none.
called-here = Next here: { $who }
club-winner-of = winner of { $id }
club-loser-of = loser of { $id }
club-by-result = by the corrected result: { $who }
club-table-away = its table is away
club-no-referee = no referee
club-no-display = no display
club-late = { $count } min late
club-desk = Desk
club-decide = Decide
club-events = Events
club-bracket = Bracket
club-no-events = No event is drawn here ([hub] events).
club-event-trouble = The files of this event cannot be read; who gives the referees' PIN sees why.
club-seed = lots from seed { $seed }
club-entries = { $count } entries
club-system-knockout = knock-out
club-system-double = double elimination
club-system-groups = groups
club-system-round_robin = round robin
club-system-swiss = Swiss system
club-system-ties = ties of teams
club-term-best_of = best of { $value }
club-term-boards = { $value } boards
club-term-points = { $value } points
club-group = Group { $name }
club-everybody = Everybody against everybody
club-round-of = Round { $name }
club-third = Third place
club-both-sides = Final of both sides
club-both-again = Second final, where the first asks for it
club-consolation = Consolation, { $name }
club-losers-round = Losers' side, round { $name }
club-standings = Standings
club-not-played = not played
club-against = Against
club-match = Match
club-by-matches = Matches
club-by-head_to_head = Among equals
club-by-boards = Boards
club-by-points = Points
club-by-games = Games
club-by-buchholz = Buchholz
club-by-seeding = Seeding
club-by-lot = Lot
club-prizes = Prizes
club-event-desk-why = With the referees' PIN: entries, the draw, its rounds, and what changes on the day.
club-new-event = New event
club-event-name = Name of the event
club-system = System
club-size-groups = Groups
club-size-rounds = Rounds
club-create = Create
club-do = Do it
club-preview = Preview: nothing of it is done yet
club-preview-it = Preview
club-discard = Leave it
club-draw = Draw
club-draw-next = Draw the next round
club-publish = Publish
club-unpublished = The tables do not have these fixtures yet.
club-add-entry = Add an entry
club-correct = Correct
club-partner = Partner
club-club = Club or team
club-sheet = List from a file
club-sheet-why = CSV, xlsx or ods with a column "name"; it replaces the whole list.
club-check-in = Begin check-in
club-terms = Terms
club-terms-why = Everything else stands in the event's file: rounds, tables, times, tie-breaks.
club-swap = Swap two entries
club-swap-why = Each takes the other's place in the draw, as long as neither has played there.
club-no-entries = Nobody has entered yet.
club-entries-there = { $there } of { $count } entries are here
club-seeded = seed { $place }
club-there-here = here
club-there-late = not here yet
club-there-withdrawn = withdrawn
club-is-here = Here
club-is-late = Not here yet
club-returns = Plays again
club-withdraw = Withdraw
club-undo-what = Undo: { $what }
club-act-terms = terms
club-act-entry = entry
club-act-remove = removed
club-act-sheet = list
club-act-check_in = check-in
club-act-state = state
club-act-draw = draw
club-act-next = next round
club-act-swap = swap
club-match-new = new
club-match-changed = changed
club-changes-new = { $count } new matches
club-changes-changed = changed: { $ids }
club-changes-gone = { $count } matches are taken away
club-left-wins = { $id }: { $who } wins without playing
club-left-off = { $id } is not played: { $who }
club-check-finds = The checker of draws finds:
club-amend = Put right
club-amend-why = With the referees' PIN: two names that are one player, and matches that do not count.
club-counts = Counts
club-merge = Two names, one player
club-merge-name = This name
club-merge-into = counts as
club-merge-why = What the tables publish stays as it is. It can be undone.
club-merged = { $name } counts as { $into }
club-strike = Do not count
club-strike-why = The match stays in the season, with the reason, and counts for nothing. It can be undone.
club-struck = no: { $why }
club-desk-why = With the referees' PIN: walkovers, matches set aside or called early.
club-walkover = walkover for { $who }: { $why }
club-walkover-how = Walkover: nothing is played
club-walkover-for = { $who } wins
club-walkover-counts = Everybody sees the reason. It counts as won in the standings, and not in the rating.
club-why-needed = Say the reason first.
club-why-absent = did not come
club-why-ill = is ill
club-why-withdrew = withdrew
club-here-how = Before its time: its players are there
club-call-now = Call it now
club-aside-how = Later: the next match is called instead
club-until = Until (empty: until it is undone)
club-set-aside = Set aside
club-delayed = delayed until { $time }
club-postponed = postponed
club-goes-on = { $who } goes on
club-is-it = It was { $what }
club-not-it = It was another match
club-table = Table
club-games = Games
club-boards = Boards
club-end = End
club-time = Time
club-season = Season
club-season-none = No match has been kept yet.
club-season-off = This club keeps no season ([hub] season).
club-season-trouble = The season cannot be read or written; the hub's log says why.
club-season-count = { $count ->
    [one] One match counts.
   *[other] { $count } matches count.
  }
club-place = Place
club-played = Played
club-won = Won
club-drawn = Drawn
club-lost = Lost
club-given = Given up
club-rating = Rating
club-rating-provisional = ? provisional: not sure yet.
club-slams = Slams
club-slam = Slam
club-slam-white = white slam
club-slam-black = black slam
