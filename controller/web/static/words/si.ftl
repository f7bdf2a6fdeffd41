# The scoreboard's words and the rulings in Sinhala. UNREVIEWED: no speaker of it has read them yet.
# What is not here (the console's own words, the club's pages) is shown in English.


## What the pages are called
scoreboard = ලකුණු පුවරුව
umpire = විනිසුරු
hall = ශාලාව සඳහා
pages = පිටු
more = තවත්
alerts = දැනුම්දීම්
strokes = පහර සහ තීරණ
language = භාෂාව
replay = මන්දගාමී දර්ශනය
voice = තීරණ හඬින් කියන්න
voice-none = තීරණ හඬින් කියන්න: මෙහි මේ භාෂාවට හඬක් නැත

## Whether the table watches
watch-armed = බලා සිටී
watch-degraded = කොටසක්
watch-off = අතින්
watch-stopped = නවතා ඇත
watch-lost = සබඳතාවක් නැත
watch-starting = සූදානම් වේ
simulated = අනුකරණයකි
setting-up-camera = කැමරාව සූදානම් වේ…
lost-since = අවසන් වරට ඇසුණේ { $time }
last-seen = අවසන් වරට දුටුවේ { $time }
never-seen = තවම දැක නැත
trouble-camera-stalled = කැමරාව පින්තූර එවන්නේ නැත
trouble-camera-lost = කැමරාව නැත
trouble-camera-blind = කැමරාවට පුවරුව නොපෙනේ
trouble-camera-silent = කැමරාව කිසිවක් නොකියයි
trouble-camera-away = කැමරාව ආරම්භ වේ හෝ නැත
trouble-node-down = සාක්කු සංවේදක නිහඬයි
trouble-node-stale = සාක්කු සංවේදක නිහඬයි
trouble-node-restarting = සාක්කු සංවේදක නැවත නැවත ආරම්භ වෙයි
trouble-broker-lost = තිර සමඟ සබඳතාව බිඳී ඇත
trouble-broker-refused = තිර ප්‍රතික්ෂේප වේ
trouble-beams = { $pockets } සාක්කුව නොපෙනේ
trouble-journal = කිසිවක් සුරැකෙන්නේ නැත
trouble-disk = තැටිය පිරී ඇත
trouble-part = කොටසක් අක්‍රීයයි

## Pieces, seats, states
piece-white = සුදු
piece-black = කළු
piece-queen = රැජින
piece-striker = ස්ට්‍රයිකර්
piece-unknown = නොදනී
pieces = { $count ->
    [one] { $piece }
   *[other] { $piece } { $count }
  }
piece-in = { $pocket } හි { $piece }
pieces-of = { $side } ගේ { $pieces }
seat-south = දකුණ
seat-north = උතුර
seat-east = නැගෙනහිර
seat-west = බටහිර
nobody = කිසිවෙක් නැත
nothing = කිසිවක් නැත
yes = ඔව්
no = නැත
state-idle = තරගයක් නැත
state-trial = අත්හදා බැලීමේ පුවරුව
state-playing = ක්‍රීඩාව පවතී
state-paused = නවතා ඇත
state-board_over = පුවරුව අවසන්
state-match_over = තරගය අවසන්
board = පුවරුව
board-number = පුවරුව { $board }
game-board = ක්‍රීඩාව { $game }, පුවරුව { $board }
clock = පහර ඔරලෝසුව
seconds = තත් { $count }
round-left = වටය: මිනි { $count }
round-last = වටයේ අවසන් පුවරුව
to-play = වාරය
won = දිනුවා
doubt = විවෘත ප්‍රශ්නයක් මෙය වෙනස් කළ හැක
sign-left = පුවරුවේ { $piece } { $count } ඉතිරියි
sign-hand = අතේ { $count }
sign-queen-pending = රැජින, තවම ආවරණය කර නැත
sign-queen-covered = රැජින, ආවරණය කළා
sign-due = ණය { $count }
sign-games = { $count ->
    [one] ක්‍රීඩා එකක් දිනුවා
   *[other] ක්‍රීඩා { $count } දිනුවා
  }
course = තරගයේ ගමන
wins-points = { $count } දිනයි

## A ruling in one sentence
says-foul = { $name } ගේ වැරදි පහර: { $what }
says-void = පහර අවලංගුයි
says-drawn = පුවරුව සමයි
says-board = { $name } පුවරුව දිනයි, { $points ->
    [one] ලකුණු 1
   *[other] ලකුණු { $points }
  }
says-match = { $name } තරගය දිනයි
says-given-forfeit = { $name } තරගය අත්හැරියා
says-given-disqualify = { $name } නුසුදුසු විය
says-given-concede = { $name } පරාජය පිළිගත්තා
says-match-over = තරගය අවසන්
says-pays = { $name } { $count } ගෙවයි
says-pays-owes = { $name } { $count } ගෙවයි, ණය { $owed }
says-owes = { $name } ණය { $count }
says-back = ආපසු තබන්න: { $pieces }
says-off = ඉවත් කරන්න: { $pieces }
says-asks = ප්‍රශ්නයක් විවෘතයි
says-plays-on = { $name } දිගටම ක්‍රීඩා කරයි
says-to-play = { $name } ගේ වාරය
says-score = ලකුණු: { $points }
event-start = තරගය ඇරඹේ
event-set = විනිසුරු තත්ත්වය සැකසුවා
event-override = විනිසුරු අගයක් සැකසුවා
event-correct = පහරක් නිවැරදි කළා
event-answer = ප්‍රශ්නයකට පිළිතුරු දුන්නා
challenge-of = { $name } අභියෝග කරයි: { $about }. තීරණය තෙක් ලකුණු එසේම පවතී.
challenge-lines = රේඛා
challenge-contact = ස්පර්ශය
challenge-count = වැටුණේ කුමක්ද
challenge-foul = වරද
challenge-missed_foul = නොදුන් වරදක්
challenge-time = කාලය
event-challenge = පහරකට අභියෝග කළා
event-verdict = අභියෝගයක් තීරණය කළා
says-verdict = අභියෝගය: { $result }
verdict-upheld = පිළිගත්තා
verdict-rejected = ප්‍රතික්ෂේප කළා
verdict-inconclusive = පැහැදිලි නැත, තීරණය එසේම
says-challenges-left = ඉතිරි අභියෝග: { $left }
event-placed = කාසි තැබුවා
event-pause = ක්‍රීඩාව නැවැත්වුවා
event-resume = ක්‍රීඩාව ඉදිරියට
event-play = විනිසුරු ක්‍රීඩාව ඇමතුවා
event-trial = අත්හදා බැලීමේ පුවරුව
event-next_board = ඊළඟ පුවරුව ඇරඹේ
event-timeout = පහරේ කාලය අවසන්
event-pass = පහර අතහැරියා
event-seats = ක්‍රීඩකයන් ස්ථාන මාරු කරයි
event-drop = පහරක් නැතිව කාසියක් වැටුණා
event-seen = කැමරාව යමක් දුටුවා
event-claim = ලකුණු ඉල්ලා ඇත
event-call = විනිසුරු ඇමතුවා
event-round_over = වටයේ කාලය අවසන්

## The ruling in full
ruling = තීරණය
ruling-number = තීරණය { $seq }
nothing-ruled = තවම තීරණයක් නැත.
provisional = තාවකාලික
to-confirm = තහවුරු කළ යුතු
not-saved = කීවා, තවම සුරැකී නැත
comes-back = { $piece } ආපසු එයි
not-watched = බලන්නේ නැත: { $facts }
changed = { $count ->
    [one] පෙර තීරණයක් දැන් වෙනස්
   *[other] පෙර තීරණ { $count } දැන් වෙනස්
  }
taken-back = අවලංගු කළා
told = පුද්ගලයෙකුගේ කීමෙන්
fix-stroke = පහර { $seq } නිවැරදි කරන්න
place-now = දැන් තැබිය යුතු:
take-off = ඉවත් කළ යුතු:
place-ring = පිටත කවය තුළ
place-at = වළල්ල ඇඳ ඇති තැන
place-centre = මැද
answer-none-of-these = මේ කිසිවක් නොවේ
answer-replay-the-stroke = පහර නැවත ක්‍රීඩා කරන්න
answer-foul = වැරදියි
answer-no-foul = වැරදි නැත
answer-seen = අපි එය නිවැරදි කරමු
answer-it-was-put-back = ආපසු තබන ලදී
answer-it-counts = ගණන් ගැනේ
answer-play-on = ක්‍රීඩාව ඉදිරියට
answer-set-the-board-up-anew = පුවරුව යළි සකසන්න
answer-accept-the-board-as-it-lies = පුවරුව ඇති ලෙස පිළිගන්න
answer-it-fell-into-a-pocket-with-no-stroke = පහරක් නැතිව සාක්කුවට වැටුණා
answer-it-lies-on-the-board = එය පුවරුවේ ඇත
answered-pocketed = { $value }
answered-pocketed-none = කිසිවක් වැටුණේ නැත
answered-off-board = පුවරුවෙන් පිට: { $value }
answered-off-board-none = කිසිවක් පුවරුවෙන් පිට ගියේ නැත
