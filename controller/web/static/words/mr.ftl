# The scoreboard's words and the rulings in Marathi. UNREVIEWED: no speaker of it has read them yet.
# What is not here (the console's own words, the club's pages) is shown in English.


## What the pages are called
scoreboard = धावफलक
umpire = पंच
hall = सभागृहासाठी
pages = पाने
more = आणखी
alerts = सूचना
strokes = फटके आणि निर्णय
language = भाषा
replay = संथ गतीत
voice = निर्णय बोलून सांगा
voice-none = निर्णय बोलून सांगा: येथे या भाषेचा आवाज नाही

## Whether the table watches
watch-armed = पाहत आहे
watch-degraded = अंशतः
watch-off = हाताने
watch-stopped = थांबले
watch-lost = संपर्क नाही
watch-starting = तयारी
simulated = सिम्युलेशन
setting-up-camera = कॅमेरा तयार होत आहे…
lost-since = शेवटचे ऐकले { $time }
last-seen = शेवटचे पाहिले { $time }
never-seen = अजून पाहिले नाही
trouble-camera-stalled = कॅमेरा चित्रे पाठवत नाही
trouble-camera-lost = कॅमेरा नाही
trouble-camera-blind = कॅमेऱ्याला बोर्ड दिसत नाही
trouble-camera-silent = कॅमेरा काही सांगत नाही
trouble-camera-away = कॅमेरा सुरू होत आहे किंवा नाही
trouble-node-down = खिशांचे सेन्सर गप्प आहेत
trouble-node-stale = खिशांचे सेन्सर गप्प आहेत
trouble-node-restarting = खिशांचे सेन्सर पुन्हा पुन्हा सुरू होत आहेत
trouble-broker-lost = फलकांशी संपर्क तुटला
trouble-broker-refused = फलक नाकारले जात आहेत
trouble-beams = { $pockets } खिसा दिसत नाही
trouble-journal = काहीही जतन होत नाही
trouble-disk = डिस्क भरली आहे
trouble-part = एक भाग बंद पडला आहे

## Pieces, seats, states
piece-white = पांढरी
piece-black = काळी
piece-queen = राणी
piece-striker = स्ट्रायकर
piece-unknown = अज्ञात
pieces = { $count ->
    [one] { $piece }
   *[other] { $count } { $piece }
  }
piece-in = { $pocket } मध्ये { $piece }
pieces-of = { $side } यांची { $pieces }
seat-south = दक्षिण
seat-north = उत्तर
seat-east = पूर्व
seat-west = पश्चिम
nobody = कोणी नाही
nothing = काही नाही
yes = होय
no = नाही
state-idle = सामना नाही
state-trial = सराव बोर्ड
state-playing = खेळ सुरू
state-paused = थांबले
state-board_over = बोर्ड संपला
state-match_over = सामना संपला
board = बोर्ड
board-number = बोर्ड { $board }
game-board = गेम { $game }, बोर्ड { $board }
clock = फटक्याचे घड्याळ
seconds = { $count } से
round-left = फेरी: { $count } मि
round-last = फेरीचा शेवटचा बोर्ड
to-play = खेळायचे
won = जिंकले
doubt = खुला प्रश्न हे बदलू शकतो
sign-left = बोर्डावर { $count } { $piece } बाकी
sign-hand = हातात { $count }
sign-queen-pending = राणी, अजून कव्हर नाही
sign-queen-covered = राणी, कव्हर झाली
sign-due = { $count } देणे
sign-games = { $count ->
    [one] एक गेम जिंकला
   *[other] { $count } गेम जिंकले
  }
course = सामन्याचा प्रवास
wins-points = { $count } जिंकतो

## A ruling in one sentence
says-foul = { $name } यांचा फाउल: { $what }
says-void = फटका मागे घेतला
says-drawn = बोर्ड बरोबरीत
says-board = { $name } यांनी बोर्ड जिंकला, { $points ->
    [one] 1 गुण
   *[other] { $points } गुण
  }
says-match = { $name } यांनी सामना जिंकला
says-given-forfeit = { $name } यांनी सामना सोडला
says-given-disqualify = { $name } अपात्र ठरले
says-given-concede = { $name } यांनी हार मानली
says-match-over = सामना संपला
says-pays = { $name } { $count } देतात
says-pays-owes = { $name } { $count } देतात आणि { $owed } देणे बाकी
says-owes = { $name } यांचे { $count } देणे
says-back = परत ठेवा: { $pieces }
says-off = काढा: { $pieces }
says-asks = एक प्रश्न खुला आहे
says-plays-on = { $name } पुढे खेळतात
says-to-play = { $name } यांची पाळी
says-score = गुण: { $points }
event-start = सामना सुरू
event-set = पंचांनी स्थिती ठरवली
event-override = पंचांनी एक आकडा ठरवला
event-correct = एक फटका दुरुस्त केला
event-answer = एका प्रश्नाचे उत्तर दिले
challenge-of = { $name } यांचे आव्हान: { $about }. निर्णयापर्यंत गुण तेच राहतात.
challenge-lines = रेषा
challenge-contact = स्पर्श
challenge-count = काय पडले
challenge-foul = फाऊल
challenge-missed_foul = न दिलेला फाऊल
challenge-time = वेळ
event-challenge = एका फटक्याला आव्हान दिले
event-verdict = एका आव्हानाचा निर्णय झाला
says-verdict = आव्हान: { $result }
verdict-upheld = मान्य
verdict-rejected = अमान्य
verdict-inconclusive = स्पष्ट नाही, निर्णय तोच
says-challenges-left = उरलेली आव्हाने: { $left }
event-placed = सोंगट्या ठेवल्या
event-pause = खेळ थांबवला
event-resume = खेळ पुढे सुरू
event-play = पंचांनी खेळ पुकारला
event-trial = सराव बोर्ड
event-next_board = पुढचा बोर्ड सुरू
event-timeout = फटक्याची वेळ संपली
event-pass = फटका सोडला
event-seats = खेळाडू जागा बदलतात
event-drop = फटक्याशिवाय सोंगटी पडली
event-seen = कॅमेऱ्याने काही पाहिले
event-claim = गुण मागितले
event-call = पंचांनी पुकारले
event-round_over = फेरीची वेळ संपली

## The ruling in full
ruling = निर्णय
ruling-number = निर्णय { $seq }
nothing-ruled = अजून कोणताही निर्णय नाही.
provisional = तात्पुरता
to-confirm = खात्री बाकी
not-saved = सांगितले, अजून जतन नाही
comes-back = { $piece } परत येते
not-watched = पाहिले जात नाही: { $facts }
changed = { $count ->
    [one] आधीचा एक निर्णय आता वेगळा आहे
   *[other] आधीचे { $count } निर्णय आता वेगळे आहेत
  }
taken-back = मागे घेतले
told = व्यक्तीच्या सांगण्यावरून
fix-stroke = फटका { $seq } दुरुस्त करा
place-now = आता ठेवायचे:
take-off = काढायचे:
place-ring = बाहेरच्या वर्तुळात
place-at = जिथे वर्तुळ काढले आहे
place-centre = मध्यावर
answer-none-of-these = यापैकी काही नाही
answer-replay-the-stroke = फटका पुन्हा खेळा
answer-foul = फाउल
answer-no-foul = फाउल नाही
answer-seen = आम्ही नीट करू
answer-it-was-put-back = परत ठेवले होते
answer-it-counts = मोजला जाईल
answer-play-on = खेळ सुरू ठेवा
answer-set-the-board-up-anew = बोर्ड पुन्हा मांडा
answer-accept-the-board-as-it-lies = बोर्ड आहे तसा स्वीकारा
answer-it-fell-into-a-pocket-with-no-stroke = फटक्याशिवाय खिशात पडली
answer-it-lies-on-the-board = ती बोर्डावर आहे
answered-pocketed = { $value }
answered-pocketed-none = काही पडले नाही
answered-off-board = बोर्डाबाहेर: { $value }
answered-off-board-none = बोर्डाबाहेर काही गेले नाही
