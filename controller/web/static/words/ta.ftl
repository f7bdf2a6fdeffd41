# The scoreboard's words and the rulings in Tamil. UNREVIEWED: no speaker of it has read them yet.
# What is not here (the console's own words, the club's pages) is shown in English.


## What the pages are called
scoreboard = மதிப்பெண் பலகை
umpire = நடுவர்
hall = அரங்கத்திற்கு
pages = பக்கங்கள்
more = மேலும்
alerts = அறிவிப்புகள்
strokes = அடிகளும் தீர்ப்புகளும்
language = மொழி
replay = மெதுவான காட்சி
voice = தீர்ப்புகளைச் சொல்
voice-none = தீர்ப்புகளைச் சொல்: இங்கே இந்த மொழிக்குக் குரல் இல்லை

## Whether the table watches
watch-armed = கவனிக்கிறது
watch-degraded = பகுதியாக
watch-off = கையால்
watch-stopped = நிறுத்தப்பட்டது
watch-lost = தொடர்பு இல்லை
watch-starting = தயாராகிறது
simulated = உருவகப்படுத்தியது
setting-up-camera = கேமரா தயாராகிறது…
lost-since = கடைசியாகக் கேட்டது { $time }
last-seen = கடைசியாகப் பார்த்தது { $time }
never-seen = இன்னும் பார்க்கவில்லை
trouble-camera-stalled = கேமரா படங்களை அனுப்பவில்லை
trouble-camera-lost = கேமரா இல்லை
trouble-camera-blind = கேமராவுக்குப் பலகை தெரியவில்லை
trouble-camera-silent = கேமரா எதுவும் சொல்லவில்லை
trouble-camera-away = கேமரா தொடங்குகிறது அல்லது இல்லை
trouble-node-down = குழி உணரிகள் பேசவில்லை
trouble-node-stale = குழி உணரிகள் பேசவில்லை
trouble-node-restarting = குழி உணரிகள் மீண்டும் மீண்டும் தொடங்குகின்றன
trouble-broker-lost = திரைகளின் தொடர்பு துண்டிக்கப்பட்டது
trouble-broker-refused = திரைகள் மறுக்கப்படுகின்றன
trouble-beams = { $pockets } குழி தெரியவில்லை
trouble-journal = எதுவும் சேமிக்கப்படவில்லை
trouble-disk = வட்டு நிரம்பியது
trouble-part = ஒரு பகுதி செயலிழந்தது

## Pieces, seats, states
piece-white = வெள்ளை
piece-black = கருப்பு
piece-queen = ராணி
piece-striker = ஸ்ட்ரைக்கர்
piece-unknown = தெரியாதது
pieces = { $count ->
    [one] { $piece }
   *[other] { $count } { $piece }
  }
piece-in = { $pocket } குழியில் { $piece }
pieces-of = { $side } உடைய { $pieces }
seat-south = தெற்கு
seat-north = வடக்கு
seat-east = கிழக்கு
seat-west = மேற்கு
nobody = யாரும் இல்லை
nothing = எதுவும் இல்லை
yes = ஆம்
no = இல்லை
state-idle = போட்டி இல்லை
state-trial = பயிற்சிப் பலகை
state-playing = ஆட்டம் நடக்கிறது
state-paused = நிறுத்தப்பட்டது
state-board_over = பலகை முடிந்தது
state-match_over = போட்டி முடிந்தது
board = பலகை
board-number = பலகை { $board }
game-board = கேம் { $game }, பலகை { $board }
clock = அடி கடிகாரம்
seconds = { $count } வி
round-left = சுற்று: { $count } நிமி
round-last = சுற்றின் கடைசிப் பலகை
to-play = ஆட வேண்டும்
won = வென்றார்
doubt = திறந்த கேள்வி இதை மாற்றலாம்
sign-left = பலகையில் { $count } { $piece } மீதம்
sign-hand = கையில் { $count }
sign-queen-pending = ராணி, இன்னும் கவர் ஆகவில்லை
sign-queen-covered = ராணி, கவர் ஆனது
sign-due = { $count } கடன்
sign-games = { $count ->
    [one] ஒரு கேம் வென்றது
   *[other] { $count } கேம்கள் வென்றது
  }
course = போட்டியின் போக்கு
wins-points = { $count } வெல்கிறார்

## A ruling in one sentence
says-foul = { $name } ஃபவுல்: { $what }
says-void = அடி திரும்பப் பெறப்பட்டது
says-drawn = பலகை சமன்
says-board = { $name } பலகையை வென்றார், { $points ->
    [one] 1 புள்ளி
   *[other] { $points } புள்ளிகள்
  }
says-match = { $name } போட்டியை வென்றார்
says-given-forfeit = { $name } போட்டியை விட்டு விலகினார்
says-given-disqualify = { $name } தகுதி நீக்கப்பட்டார்
says-given-concede = { $name } தோல்வியை ஒப்புக்கொண்டார்
says-match-over = போட்டி முடிந்தது
says-pays = { $name } { $count } செலுத்துகிறார்
says-pays-owes = { $name } { $count } செலுத்துகிறார், { $owed } கடன்
says-owes = { $name } { $count } கடன்
says-back = திரும்ப வை: { $pieces }
says-off = எடு: { $pieces }
says-asks = ஒரு கேள்வி திறந்துள்ளது
says-plays-on = { $name } தொடர்ந்து ஆடுகிறார்
says-to-play = { $name } ஆட வேண்டும்
says-score = மதிப்பெண்: { $points }
event-start = போட்டி தொடங்குகிறது
event-set = நடுவர் நிலையை அமைத்தார்
event-override = நடுவர் ஒரு எண்ணை அமைத்தார்
event-correct = ஒரு அடி திருத்தப்பட்டது
event-answer = ஒரு கேள்விக்கு விடை தரப்பட்டது
challenge-of = { $name } மறுபார்வை கேட்கிறார்: { $about }. முடிவு வரை புள்ளிகள் மாறாது.
challenge-lines = கோடுகள்
challenge-contact = தொடுதல்
challenge-count = விழுந்தது எது
challenge-foul = தவறு
challenge-missed_foul = கொடுக்கப்படாத தவறு
challenge-time = நேரம்
event-challenge = ஒரு அடி மறுப்புக்கு உள்ளானது
event-verdict = ஒரு மறுப்பு முடிவு செய்யப்பட்டது
says-verdict = மறுபார்வை: { $result }
verdict-upheld = ஏற்கப்பட்டது
verdict-rejected = நிராகரிக்கப்பட்டது
verdict-inconclusive = தெளிவில்லை, முடிவு மாறாது
says-challenges-left = மீதமுள்ள மறுபார்வைகள்: { $left }
event-placed = காய்கள் வைக்கப்பட்டன
event-pause = ஆட்டம் நிறுத்தப்பட்டது
event-resume = ஆட்டம் தொடர்கிறது
event-play = நடுவர் ஆட்டத்தை அழைத்தார்
event-trial = பயிற்சிப் பலகை
event-next_board = அடுத்த பலகை தொடங்குகிறது
event-timeout = அடியின் நேரம் முடிந்தது
event-pass = அடி விடப்பட்டது
event-seats = ஆட்டக்காரர்கள் இடம் மாறுகிறார்கள்
event-drop = அடி இல்லாமல் ஒரு காய் விழுந்தது
event-seen = கேமரா ஒன்றைப் பார்த்தது
event-claim = புள்ளிகள் கோரப்பட்டன
event-call = நடுவர் அறிவித்தார்
event-round_over = சுற்றின் நேரம் முடிந்தது

## The ruling in full
ruling = தீர்ப்பு
ruling-number = தீர்ப்பு { $seq }
nothing-ruled = இன்னும் தீர்ப்பு எதுவும் இல்லை.
provisional = தற்காலிகம்
to-confirm = உறுதி செய்ய வேண்டும்
not-saved = சொல்லப்பட்டது, இன்னும் சேமிக்கப்படவில்லை
comes-back = { $piece } திரும்ப வருகிறது
not-watched = கவனிக்கப்படவில்லை: { $facts }
changed = { $count ->
    [one] முந்தைய ஒரு தீர்ப்பு இப்போது வேறு
   *[other] முந்தைய { $count } தீர்ப்புகள் இப்போது வேறு
  }
taken-back = திரும்பப் பெறப்பட்டது
told = ஒருவர் சொன்னபடி
fix-stroke = அடி { $seq } திருத்து
place-now = இப்போது வைக்க வேண்டியவை:
take-off = எடுக்க வேண்டியவை:
place-ring = வெளி வட்டத்திற்குள்
place-at = வளையம் வரையப்பட்ட இடத்தில்
place-centre = நடுவில்
answer-none-of-these = இவற்றில் எதுவும் இல்லை
answer-replay-the-stroke = அடியை மீண்டும் ஆடு
answer-foul = ஃபவுல்
answer-no-foul = ஃபவுல் இல்லை
answer-seen = நாங்கள் சரிசெய்கிறோம்
answer-it-was-put-back = திருப்பி வைக்கப்பட்டது
answer-it-counts = கணக்கில் சேரும்
answer-play-on = ஆட்டத்தைத் தொடரவும்
answer-set-the-board-up-anew = பலகையை மீண்டும் அடுக்கவும்
answer-accept-the-board-as-it-lies = பலகையை இருப்பது போல் ஏற்றுக்கொள்
answer-it-fell-into-a-pocket-with-no-stroke = அடி இல்லாமல் குழியில் விழுந்தது
answer-it-lies-on-the-board = அது பலகையில் உள்ளது
answered-pocketed = { $value }
answered-pocketed-none = எதுவும் விழவில்லை
answered-off-board = பலகைக்கு வெளியே: { $value }
answered-off-board-none = எதுவும் பலகையை விட்டுப் போகவில்லை
