# The pages' words in Hindi. The rulebooks' own words stay English.

## What the pages are called
scoreboard = स्कोरबोर्ड
umpire = अंपायर
hall = हॉल के लिए
pages = पृष्ठ
more = और
alerts = सूचनाएँ
strokes = स्ट्रोक और निर्णय
language = भाषा
replay = धीमी गति में

## Whether the table watches
watch-armed = देख रही है
watch-degraded = आंशिक
watch-off = हाथ से
watch-stopped = रुका है
watch-lost = संपर्क नहीं
watch-starting = तैयारी
setting-up-camera = कैमरा तैयार हो रहा है…
lost-since = पिछली ख़बर { $time }
last-seen = पिछली बार देखा { $time }
never-seen = अभी तक नहीं देखा
trouble-camera-stalled = कैमरे से चित्र नहीं आ रहे
trouble-camera-lost = कैमरा नहीं मिल रहा
trouble-camera-blind = कैमरे को बोर्ड नहीं दिखता
trouble-camera-silent = कैमरा चुप है
trouble-camera-away = कैमरा शुरू हो रहा है या बंद है
trouble-node-down = पॉकेट सेंसर चुप हैं
trouble-node-stale = पॉकेट सेंसर चुप हैं
trouble-node-restarting = पॉकेट सेंसर बार-बार फिर से चालू हो रहे हैं
trouble-broker-lost = डिस्प्ले कट गए हैं
trouble-broker-refused = डिस्प्ले को अनुमति नहीं
trouble-beams = पॉकेट { $pockets } नहीं दिखता
trouble-journal = कुछ सहेजा नहीं जा रहा
trouble-disk = डिस्क भर गई है
trouble-part = एक भाग ख़राब है

## Pieces, seats, states
piece-white = सफ़ेद
piece-black = काली
piece-queen = रानी
piece-striker = स्ट्राइकर
piece-unknown = अज्ञात
pieces = { $count ->
    [one] { $piece }
   *[other] { $count } { $piece }
  }
piece-in = { $pocket } में { $piece }
seat-south = दक्षिण
seat-north = उत्तर
seat-east = पूर्व
seat-west = पश्चिम
nobody = कोई नहीं
nothing = कुछ नहीं
yes = हाँ
no = नहीं
state-idle = कोई मैच नहीं
state-trial = अभ्यास बोर्ड
state-playing = खेल जारी
state-paused = रुका है
state-board_over = बोर्ड समाप्त
state-match_over = मैच समाप्त
board = बोर्ड
board-number = बोर्ड { $board }
game-board = गेम { $game }, बोर्ड { $board }
clock = स्ट्रोक घड़ी
seconds = { $count } से
to-play = बारी
won = विजेता
doubt = एक खुला प्रश्न इसे बदल सकता है
sign-left = बोर्ड पर { $count } { $piece } बाकी
sign-hand = हाथ में { $count }
sign-queen-pending = रानी, अभी कवर नहीं हुई
sign-queen-covered = रानी, कवर हो चुकी
sign-due = { $count } बकाया
sign-games = { $count } गेम जीते
course = मैच का क्रम
wins-points = { $count } अंक जीते

## A ruling in one sentence
says-foul = { $name } का फ़ाउल: { $what }
says-void = स्ट्रोक वापस लिया गया
says-drawn = बोर्ड बराबर रहा
says-board = { $name } ने बोर्ड जीता, { $points } अंक
says-match = { $name } ने मैच जीता
says-given-forfeit = { $name } ने मैच छोड़ दिया
says-given-disqualify = { $name } अयोग्य घोषित
says-given-concede = { $name } ने हार मानी
says-match-over = मैच समाप्त
says-pays = { $name } { $count } देंगे
says-pays-owes = { $name } { $count } देंगे, { $owed } बकाया
says-owes = { $name } पर { $count } बकाया
says-back = वापस रखें: { $pieces }
says-off = हटाएँ: { $pieces }
says-asks = एक प्रश्न खुला है
says-plays-on = { $name } खेलते रहेंगे
says-to-play = अब { $name } की बारी
event-start = मैच शुरू
event-set = अंपायर ने स्थिति तय की
event-override = अंपायर ने एक आँकड़ा बदला
event-correct = एक स्ट्रोक सुधारा गया
event-answer = एक प्रश्न का उत्तर दिया गया
event-placed = गोटियाँ रखी गईं
event-pause = खेल रोका गया
event-resume = खेल फिर शुरू
event-play = अंपायर ने खेल पुकारा
event-trial = अभ्यास बोर्ड
event-next_board = अगला बोर्ड शुरू
event-timeout = स्ट्रोक का समय समाप्त
event-pass = स्ट्रोक छोड़ा गया
event-seats = खिलाड़ियों ने जगह बदली
event-drop = बिना स्ट्रोक के एक गोटी गिरी
event-seen = कैमरे ने कुछ देखा
event-claim = अंकों का दावा
event-call = अंपायर ने निर्णय पुकारा
event-round_over = राउंड का समय समाप्त

## The ruling in full
ruling = निर्णय
ruling-number = निर्णय { $seq }
nothing-ruled = अभी तक कोई निर्णय नहीं।
provisional = अस्थायी
to-confirm = पुष्टि बाकी
saved = सहेजा गया
not-saved = बताया गया, अभी सहेजा नहीं
comes-back = { $piece } वापस आएगी
not-watched = नहीं देखा गया: { $facts }
changed = { $count ->
    [one] पहले का एक निर्णय बदल गया
   *[other] पहले के { $count } निर्णय बदल गए
  }
taken-back = वापस लिया गया
fix-stroke = स्ट्रोक { $seq } सुधारें
place-now = अब रखें:
take-off = हटाएँ:
place-ring = बाहरी वृत्त के भीतर
place-at = जहाँ घेरा बना है
place-centre = केंद्र पर
answer-none-of-these = इनमें से कोई नहीं
answer-replay-the-stroke = स्ट्रोक दोबारा
answer-foul = फ़ाउल
answer-no-foul = फ़ाउल नहीं
answer-seen = देख लिया
answer-accept-the-board-as-it-lies = बोर्ड जैसा है वैसा मानें
answer-it-fell-into-a-pocket-with-no-stroke = बिना स्ट्रोक के पॉकेट में गिरी
answer-it-lies-on-the-board = बोर्ड पर ही है
answered-pocketed = { $value }
answered-pocketed-none = कुछ नहीं गिरा
answered-off-board = बोर्ड से बाहर: { $value }
answered-off-board-none = कुछ बोर्ड से बाहर नहीं गया

## The console: its frame
login-why = स्कोरबोर्ड सबके लिए है; निर्णय और उत्तर अंपायर के हैं।
pin = पिन
open-console = कंसोल खोलें
back-to-scoreboard = स्कोरबोर्ड पर वापस
tab-now = अभी
tab-strokes = स्ट्रोक
tab-board = बोर्ड
tab-table = मेज़
stop = रोकें
play = खेलें
improper = अनुचित स्ट्रोक
fix = सुधारें
call = पुकारें
next-board = अगला बोर्ड
new-match = नया मैच
close = बंद
undo = वापस लें
undone = वापस लिया: पहले जैसा
taken = दर्ज हुआ।
do-it = करें
leave-it = जैसा है रहने दें
changes-nothing = स्कोर में कुछ नहीं बदलता।
strokes-tap = सुधारने के लिए स्ट्रोक छुएँ।
match = मैच
time-up = समय समाप्त
passes = { $name } छोड़ते हैं
other-call = अन्य निर्णय
by-hand = हाथ से स्कोर
leave = बाहर जाएँ
who = कौन लॉग इन है
this-one = यही
session-since = { $began } से, पिछली बार { $seen } · { $browser }
end = समाप्त
end-others = बाकी सब समाप्त
guessing = कोई पिन का अनुमान लगा रहा है। उसकी फ़ाइल में नया पिन लिखें: तब हर सत्र समाप्त होगा।
board-above = ऊपर से बोर्ड
past = पिछले मैच
past-none = अभी तक कोई मैच दर्ज नहीं है।
past-reading = मैच फिर से आँका जा रहा है…
past-pdf = स्कोर शीट (PDF)
past-csv = स्ट्रोक (CSV)
past-png = परिणाम का चित्र
not-over = पूरा नहीं हुआ

## The console: the card
question = प्रश्न
of-count = { $count } में { $at }
later = बाद में
says = { $name } कहते हैं
answer = उत्तर: { $said }
foul-to-confirm = फ़ाउल की पुष्टि
confirm = पुष्टि
wave-away = छोड़ दें
waved-away = छोड़ दिया
still-picture = स्थिर चित्र
play-stroke = स्ट्रोक चलाएँ
picture-in-question = प्रश्न का चित्र
felt = क्या महसूस हुआ
felt-in = { $pocket } में { $what }, { $seconds } सेकंड बाद; { $beams } से
felt-sure = यह समझ: { $percent } % पक्की
beam-upper = ऊपर की किरण
beam-lower = नीचे की किरण
lobby-why = कौन खेलेगा? नाम, नियम और ब्रेक; या एक स्पर्श में दोस्ताना मैच।
claim = माँग पर { $count } अंक
claim-why = अगले बोर्ड से पहले { $name } { $count ->
    [one] एक अंक और
   *[other] { $count } अंक और, या उनका भाग,
  } माँग सकते हैं।

## The console: fix
fix-stroke-of = स्ट्रोक { $seq } सुधारें · { $name }
reading-swapped = यह { $piece } थी
reading-fewer = { $piece } नहीं
reading-more = और { $piece }
reading-nothing = कुछ नहीं गिरा
reading-struck-by = { $name } ने मारा
tap-pocket = या पॉकेट छुएँ, फिर जो गिरा:
fell-in = { $pocket } में गिरा:
everything-else = स्ट्रोक के बारे में बाकी सब
correct-so = ऐसे सुधारें
take-stroke-back = स्ट्रोक वापस लें
fell-pocket = पॉकेट में गिरा
left-board = बोर्ड से बाहर
struck-by = किसने मारा
placement-stroke = रखना और मारना
seen-by-umpire = अंपायर ने देखा
add-piece = गोटी जोड़ें
remove = हटाएँ
in-order-crossed-baseline = पर्याप्त
not-known = पता नहीं
value-both = दोनों
value-one = एक
value-none = कोई नहीं
value-clear = मुक्त
value-covered = ढका
value-partial = आंशिक ढका
value-forward = आगे
value-backward = पीछे
fact-placement-lines = छुई रेखाएँ
fact-placement-circle = आधार वृत्त
fact-placement-arrow = तीर पर
fact-placement-touching = गोटी को छूता
fact-placement = रखना
fact-left-baseline = स्ट्राइकर ने आधार रेखा छोड़ी
fact-heading = स्ट्रोक की दिशा
fact-all-at-rest = मारते समय सब स्थिर
fact-crossed-baseline = आधार रेखा के पार गोटियाँ (ब्रेक)
fact-contacts = स्ट्राइकर किससे टकराया
fact-pocketed = क्या गिरा
fact-off-board = क्या बोर्ड से बाहर गया
fact-elapsed = समय
fact-flags-hand-touched-piece = हाथ ने गोटी छुई
fact-flags-two-hands = दोनों हाथ
fact-flags-push = धक्का
fact-flags-elbow = कोहनी रेखा के पार
fact-flags-shake = बोर्ड हिला
fact-flags-striker-touched = स्ट्राइकर फिर छुआ
fact-flags-moving-piece-removed = चलती गोटी उठाई
fact-flags-piece-moved-before = पहले गोटी हिली
fact-flags-replaced = गोटी बदली
fact-flags-delay = देरी
fact-flags-over-half = आधे बोर्ड के पार
fact-flags-body-over-diagonal = शरीर विकर्ण के पार
fact-flags-chair = कुर्सी हिली
fact-flags-practice = अभ्यास

## The console: what would change
change-void = स्ट्रोक { $seq } नहीं गिना जाएगा
change-counts = स्ट्रोक { $seq } गिना जाएगा
change-foul = स्ट्रोक { $seq }: फ़ाउल, { $what }
change-no-foul = स्ट्रोक { $seq }: फ़ाउल नहीं ({ $what })
change-due = स्ट्रोक { $seq }: { $what }
change-no-due = स्ट्रोक { $seq }: अब नहीं “{ $what }”
change-back = स्ट्रोक { $seq }: { $pieces } वापस आएगी
change-stays = स्ट्रोक { $seq }: { $pieces } वापस नहीं आएगी
change-score = { $name }: { $now } अंक, { $was } नहीं
change-games = { $name }: { $now } गेम, { $was } नहीं
change-owed = { $name } पर { $now } बकाया, { $was } नहीं
change-left = बोर्ड पर { $name }: { $now }, { $was } नहीं
change-turn = { $now } की बारी, { $was } की नहीं
change-no-turn = किसी की बारी नहीं
change-queen = रानी: { $now }, { $was } नहीं
change-board-goes-on = बोर्ड जारी है
change-match-goes-on = मैच जारी है
queen-board = बोर्ड पर
queen-pending = कवर बाकी
queen-covered = कवर हो चुकी
queen-pending-by = { $name } को कवर करना है
queen-covered-by = { $name } ने कवर की

## The console: calls
calls = नियम के निर्णय
improper-of = { $name } का अनुचित स्ट्रोक (स्ट्रोक { $seq })
find-clause = धारा खोजें
then-cited = कुछ नहीं होता; केवल उल्लेख
then-the-stroke-is-fouled = स्ट्रोक फ़ाउल होगा
then-nothing-follows-it-can-be-cited = कुछ नहीं होता; केवल उल्लेख
then-one-due-and-the-turn-if-that-side-has-it = एक गोटी देनी होगी, और बारी हो तो बारी भी
then-the-board-goes-to-the-other-side-by-the-offender-s-pieces-and-the-queen-left = बोर्ड दूसरे पक्ष को, दोषी की बची गोटियों और रानी के अंकों से
then-the-side-loses-the-match = पक्ष मैच हारेगा
then-the-board-is-played-again-with-the-same-break = बोर्ड उसी ब्रेक से दोबारा
then-the-side-is-disqualified-and-loses-the-match = पक्ष अयोग्य, मैच हारा
then-a-warning-first-then-a-foul-of-its-own-one-due-and-the-turn-if-that-side-has-it = पहले चेतावनी, फिर फ़ाउल: एक गोटी, और बारी हो तो बारी भी
then-pieces-are-put-back-as-they-were = गोटियाँ पहले जैसी रखें
then-the-stroke-is-taken-back-and-played-again = स्ट्रोक वापस, दोबारा खेलें
then-a-warning-then-a-foul-points-or-disqualification-as-the-umpire-chooses = चेतावनी; फिर अंपायर की मर्ज़ी से फ़ाउल, अंक या अयोग्यता
then-a-guided-procedure-on-the-console = कंसोल पर क्रमवार प्रक्रिया
then-the-board-ends-level = बोर्ड बराबर
action-warn = चेतावनी
action-foul = फ़ाउल
action-deduct = अंक काटें
action-draw = बराबरी
action-forfeit = हार मानना
action-disqualify = अयोग्य
action-wave_off = छोड़ दें
show-changes = क्या बदलेगा देखें
what = क्या
against = किसके विरुद्ध
clause = धारा
points = अंक
reason = कारण

## The console: by hand, rescue
hand = हाथ से स्कोर
hand-for = हाथ से: { $name }
hand-add = +1 { $piece }
hand-miss = चूका
hand-same = और, उसी स्ट्रोक में
hand-undo = पिछला स्ट्रोक वापस
rescue = स्कोर और बोर्ड ठीक करें
rescue-go = यहाँ से खेलें
less = कम: { $what }
more-of = अधिक: { $what }
points-of = { $name } के अंक
left-of = बोर्ड पर बाकी: { $piece }
owed-by = { $name } पर बकाया
turn = किसकी बारी
who-is-white = सफ़ेद किसकी

## The console: board and seats by hand
to-be-laid = बोर्ड पर रखना है
laid-count = { $count } में से { $laid } जगह पर
lies-there = जगह पर है
board-and-seats = बोर्ड और सीटें
nothing-by-hand = अभी बोर्ड पर कुछ नहीं किया जा सकता।
do-restore = गोटियाँ वापस रखें
do-restore-why = जैसी पिछले स्ट्रोक के बाद थीं: जो जगह पर दिखे, उस पर निशान लगता है।
do-reshuffle = फिर से सजाएँ
do-reshuffle-why = खेल रुकता है; बची गोटियाँ बीच में सजती हैं। बारी, हाथ और अंक वही रहते हैं।
do-replay-stroke = स्ट्रोक दोबारा
do-replay-stroke-why = पिछला स्ट्रोक नहीं गिना जाता; वही पक्ष फिर मारता है।
do-replay-board = बोर्ड दोबारा
do-ends = सीटें बदलें
do-ends-why = सब सामने की सीट पर जाते हैं।
do-round = एक सीट आगे
do-round-why = सब दाईं ओर एक सीट आगे बढ़ते हैं।
do-toss = { $name } ब्रेक करें
do-toss-why = अगला बोर्ड शुरू होता है; टॉस से तय हुआ।
it-lies-so = सही रखा है: खेल जारी
all-lies = सब जगह पर है: खेल जारी
times = समय की अपील
times-limit = हर स्ट्रोक का समय, नया पहले। सीमा { $count } से॰ है।
times-no-limit = हर स्ट्रोक का समय, नया पहले। इस किताब में सीमा नहीं है।
times-none = कोई समय दर्ज नहीं: कैमरे ने अभी कोई स्ट्रोक नहीं मापा।
time-over = देर हुई
uphold = मान्य: { $name } को देर हुई
reject = अमान्य
appeal-upheld = समय की अपील मानी गई
appeal-rejected = समय की अपील नहीं मानी गई

## The console: from a stand to a table that may umpire
arm = टेबल तैयार करें
arm-signed = { $time } पर { $name } ने हस्ताक्षर किए।
arm-not-signed = इस टेबल पर अभी किसी ने हस्ताक्षर नहीं किए।
arm-name = आपका नाम
arm-sign = हस्ताक्षर: यह टेबल अंपायर हो सकती है
arm-done = हो गया
arm-missing = { $count ->
    [one] एक चीज़ बाकी है। फिर भी हस्ताक्षर कर सकते हैं; यह दर्ज होता है।
   *[other] { $count } चीज़ें बाकी हैं। फिर भी हस्ताक्षर कर सकते हैं; यह दर्ज होता है।
  }
arm-all = सब तैयार है।
arm-journal = निर्णय सहेजे जा रहे हैं
arm-journal-how = डिस्क पर जगह बनाएँ, या कार्ड ठीक करें।
arm-broker = डिस्प्ले तक पहुँच है
arm-broker-how = ब्रोकर और नेटवर्क देखें।
arm-beams = पॉकेट सेंसर उत्तर देते हैं
arm-beams-how = नोड जोड़ें; बंद पॉकेट के लेंस पोंछें।
arm-camera = कैमरा बोर्ड देखता है
arm-camera-how = उसे जोड़ें और पूरे बोर्ड पर लगाएँ।
arm-registration = कैमरा वहीं है जहाँ नापा गया था
arm-registration-how = उसे पहले जैसा टाँगें, या नीचे के बटन से फिर से लगाएँ।
arm-coin = { $which } से एक गोटी
arm-coin-how = पॉकेट { $which } में एक गोटी गिराएँ।
arm-rack = शुरुआती सजावट पढ़ी गई
arm-rack-how = उसे सजाएँ, सब गोटियाँ सटी हुई, हाथ दूर।
arm-striker = { $which } का स्ट्राइकर
arm-striker-how = उसे { $which } की आधार रेखाओं के बीच रखें, हाथ दूर।

## The console: the camera is set up anew
camera-anew = कैमरा फिर से लगाएँ
camera-go-on = कैमरा लगाया जा रहा है: जारी रखें
camera-why = जब कैमरा पहले से अलग लटका हो: खाली बोर्ड, फिर सजी गोटियाँ, हर तस्वीर एक टैप से। तब तक कुछ नहीं देखा जाता।
camera-in-play = बोर्ड चल रहा है। तब तक खेल रुका रहता है; गोटियाँ कहाँ थीं, याद रहता है और बाद में दिखाया जाता है।
camera-begin = शुरू करें
camera-stop-begin = खेल रोकें और शुरू करें
camera-grade = कैमरा अभी इस श्रेणी का है: { $grade }।
camera-no-eyes = कैमरा यहाँ से नहीं लगाया जा सकता: उसका प्रोग्राम जवाब नहीं देता, या लेंस का चार्ट कभी नहीं दिखाया गया।
camera-step = 2 में से { $step }: { $title }
camera-empty = खाली बोर्ड
camera-empty-how = सब गोटियाँ हटाएँ, हाथ दूर। फिर टैप करें।
camera-empty-take = बोर्ड खाली है: तस्वीर लें
camera-opening = सजी गोटियाँ
camera-opening-how = शुरुआती सजावट करें: सब सटी हुई, स्ट्राइकर नहीं, हाथ दूर। फिर टैप करें।
camera-opening-take = सजी हैं: तस्वीर लें
camera-still = हिलाएँ नहीं…
camera-judging = देखा जा रहा है…
camera-picture = कैमरा जो देखता है, और उस पर बोर्ड का जो मिला
camera-south-bottom = दक्षिण इस तस्वीर में नीचे बैठा है।
camera-south-left = दक्षिण इस तस्वीर में बाईं ओर बैठा है।
camera-south-top = दक्षिण इस तस्वीर में ऊपर बैठा है।
camera-south-right = दक्षिण इस तस्वीर में दाईं ओर बैठा है।
camera-turn = नहीं: एक ओर घुमाएँ
camera-again = शुरू से
camera-leave = जैसा था वैसा रहने दें
camera-done = नया अंशांकन लागू है: श्रेणी { $grade }।
camera-notes = इसके बारे में जानने योग्य
camera-close = आगे
camera-undo = वापस: पहले वाला

## The console: the lobby
players = खिलाड़ी
singles = एकल
doubles = युगल
rulebook = नियम
no-toss = टॉस नहीं
toss-won = टॉस जीता
toss-chose = चुना
toss-break = ब्रेक
toss-side = जगह
breaks = ब्रेक करेंगे
friendly = दोस्ताना मैच
friendly-why = जैसे बैठे हैं, इन्हीं नियमों से, तुरंत।
fixture = तय मैच
no-fixture = (कोई नहीं: नीचे लिखें)
begin = मैच शुरू करें
ends-here = चालू मैच यहीं { $points } पर समाप्त होगा। वह जर्नल में रहेगा।

## The console: what is watched
watched-now = अभी देखा जाता है
count-watched = { $count } देखे
count-on-call = { $count } पुकार पर
count-unwatched = { $count } नहीं देखे
group-watched = देखे जाते हैं
group-on-call = पुकार पर: अंपायर देखता है
group-unwatched = नहीं देखे जाते: यहाँ के सेंसर नहीं बता सकते
not-seen = नहीं देखा: { $facts }

## Other devices: codes, the sides' own pages
pairing = दूसरे उपकरण
pairing-why = दूसरे अंपायर का उपकरण कोड स्कैन करके आता है: पिन नहीं लिखना पड़ता।
pairing-why-players = खिलाड़ी तय करते हैं: हर पक्ष अपना कोड स्कैन करता है और उसके अपने बटन होते हैं।
pair-umpire = दूसरे अंपायर का उपकरण
pair-side = { $name } के लिए उपकरण
code-picture = दूसरे उपकरण के कैमरे के लिए कोड
code-why = इसे दूसरे उपकरण के कैमरे से स्कैन करें। यह { $count } मिनट में एक उपकरण को आने देता है।
other-device = दूसरे अंपायर का उपकरण: { $what }
join = अंदर आएँ
join-why = स्कैन किए गए कोड से यह उपकरण एक बार अंदर आता है।
join-go = इस उपकरण को आने दें
join-refused = यह कोड इस्तेमाल हो चुका है या पुराना है। नया माँगें।
player = खिलाड़ी
decides = कौन तय करता है
decides-umpire = अंपायर
decides-players = खिलाड़ी
decides-referee = कई मेज़ों का रेफ़री
umpire-decides = इस मैच में अंपायर तय करता है।
not-let-in = यह उपकरण किसी पक्ष के लिए नहीं आया है। पक्ष का कोड स्कैन करें।
both-answer = दोनों पक्ष उत्तर देते हैं। जहाँ वे अलग हों, वहाँ जो नियम के अनुसार है वही रहता है।
other-answers = आपके पक्ष ने उत्तर दे दिया; दूसरे को देना है।
waits-for-other = कह दिया। जब दूसरा पक्ष भी चाहे तब होगा।
you-want = आप चाहते हैं: { $what }
they-want = { $name } चाहते हैं: { $what }
agree = सहमत
do-not-agree = नहीं
own-foul = मेरा फ़ाउल
their-foul = उनका फ़ाउल
stroke-back = पिछला स्ट्रोक वापस लें

## The club's pages
club-tables = क्लब की मेज़ें
club-pages = पृष्ठ
club-count = { $count ->
    [one] एक मेज़
   *[other] { $count } मेज़ें
  }
club-none = अभी तक किसी मेज़ की ख़बर नहीं।
club-all = सभी मेज़ें
club-day = आज का खेल
club-hall = हॉल का पर्दा
club-referee = रेफ़री
club-lamp-ask = रेफ़री चाहिए
club-lamp-fault = देखने की ज़रूरत
club-lamp-fine = अपने आप चल रही है
club-lamp-off = बंद या दूर
club-lamp-cut = संपर्क नहीं; खेल जारी है
club-since = { $time } से, { $long }
club-just-now = अभी
club-minutes = { $count } मिनट से
club-hours = { $count } घंटे से
club-state = { $state } · { $lamp }
club-waiting = क्या बाकी है
club-rulings = पिछले निर्णय
club-no-rulings = क्लब का पृष्ठ शुरू होने के बाद कोई नहीं आया।
club-console = मेज़ का कंसोल खोलें
club-answer = मेज़ के कंसोल पर उत्तर दें
club-no-page = यह मेज़ नहीं बताती कि उसके पृष्ठ कहाँ हैं (web.address)।
club-picture = चित्र
club-look = देखें
club-log-in = लॉग इन
club-log-out = लॉग आउट
club-referee-why = मेज़ें सबके लिए हैं; जिसकी पुष्टि नहीं हुई वह केवल रेफ़री के लिए।
club-referee-none = रेफ़री के लिए कुछ बाकी नहीं।
club-referee-open = { $count ->
    [one] एक मेज़ रुकी है
   *[other] { $count } मेज़ें रुकी हैं
  }
club-see-table = एक प्रश्न खुला है; मेज़ का कंसोल दिखाता है।
club-results = परिणाम
club-next = खेला जाना है
club-next-matches = अगले मैच
club-on-tables = मेज़ों पर
club-files = परिणाम फ़ाइल में, या यह पृष्ठ छापें:
club-no-results = अभी कोई मैच समाप्त नहीं हुआ।
club-no-fixtures = कोई तय मैच नहीं, या सब खेले जा चुके।
club-now = अभी
club-event = स्पर्धा
club-round = दौर
club-table = मेज़
club-games = गेम
club-boards = बोर्ड
club-ended-by = कैसे समाप्त
club-end = समाप्ति
club-time = समय
