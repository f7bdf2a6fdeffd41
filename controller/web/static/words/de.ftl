# The scoreboard's words and the rulings in German. UNREVIEWED: no speaker of it has read them yet.
# What is not here (the console's own words, the club's pages) is shown in English.


## What the pages are called
scoreboard = Anzeigetafel
umpire = Schiedsrichter
hall = Für den Saal
pages = Seiten
more = Mehr
alerts = Meldungen
strokes = Stöße und Entscheidungen
language = Sprache
replay = Zeitlupe
voice = Entscheidungen vorlesen
voice-none = Entscheidungen vorlesen: hier gibt es keine Stimme für diese Sprache

## Whether the table watches
watch-armed = Sieht zu
watch-degraded = Teilweise
watch-off = Von Hand
watch-stopped = Angehalten
watch-lost = Keine Verbindung
watch-starting = Einrichten
simulated = Simuliert
setting-up-camera = die Kamera wird eingerichtet…
lost-since = zuletzt gehört { $time }
last-seen = zuletzt gesehen { $time }
never-seen = noch nicht gesehen
trouble-camera-stalled = Kamera sendet keine Bilder
trouble-camera-lost = Kamera ist weg
trouble-camera-blind = Kamera sieht das Brett nicht
trouble-camera-silent = Kamera meldet sich nicht
trouble-camera-away = Kamera startet oder fehlt
trouble-node-down = Taschensensoren schweigen
trouble-node-stale = Taschensensoren schweigen
trouble-node-restarting = Taschensensoren starten immer wieder neu
trouble-broker-lost = Anzeigen sind abgeschnitten
trouble-broker-refused = Anzeigen werden abgewiesen
trouble-beams = Tasche { $pockets } ist blind
trouble-journal = nichts wird gespeichert
trouble-disk = der Speicher ist voll
trouble-part = ein Teil ist ausgefallen

## Pieces, seats, states
piece-white = Weiß
piece-black = Schwarz
piece-queen = Dame
piece-striker = Striker
piece-unknown = unbekannt
pieces = { $count ->
    [one] { $piece }
   *[other] { $count } { $piece }
  }
piece-in = { $piece } in { $pocket }
pieces-of = { $pieces } von { $side }
seat-south = Süd
seat-north = Nord
seat-east = Ost
seat-west = West
nobody = niemand
nothing = nichts
yes = ja
no = nein
state-idle = Kein Spiel
state-trial = Probebrett
state-playing = Spiel läuft
state-paused = Angehalten
state-board_over = Brett zu Ende
state-match_over = Spiel zu Ende
board = Brett
board-number = Brett { $board }
game-board = Satz { $game }, Brett { $board }
clock = Stoßuhr
seconds = { $count } s
round-left = Runde: { $count } min
round-last = Letztes Brett der Runde
to-play = am Zug
won = gewonnen
doubt = eine offene Frage kann das ändern
sign-left = { $count } { $piece } noch auf dem Brett
sign-hand = { $count } in der Hand
sign-queen-pending = die Dame, noch nicht gedeckt
sign-queen-covered = die Dame, gedeckt
sign-due = schuldet { $count }
sign-games = { $count ->
    [one] ein Satz gewonnen
   *[other] { $count } Sätze gewonnen
  }
course = Der Verlauf
wins-points = gewinnt { $count }

## A ruling in one sentence
says-foul = Foul von { $name }: { $what }
says-void = Der Stoß ist zurückgenommen
says-drawn = Das Brett ist unentschieden
says-board = { $name } gewinnt das Brett mit { $points ->
    [one] 1 Punkt
   *[other] { $points } Punkten
  }
says-match = { $name } gewinnt das Spiel
says-given-forfeit = { $name } hat kampflos verloren
says-given-disqualify = { $name } wurde disqualifiziert
says-given-concede = { $name } hat aufgegeben
says-match-over = Das Spiel ist zu Ende
says-pays = { $name } zahlt { $count }
says-pays-owes = { $name } zahlt { $count } und schuldet { $owed }
says-owes = { $name } schuldet { $count }
says-back = zurücklegen: { $pieces }
says-off = wegnehmen: { $pieces }
says-asks = eine Frage ist offen
says-plays-on = { $name } spielt weiter
says-to-play = { $name } ist am Zug
says-score = Der Stand: { $points }
event-start = Das Spiel beginnt
event-set = Der Schiedsrichter hat den Stand gesetzt
event-override = Der Schiedsrichter hat eine Zahl gesetzt
event-correct = Ein Stoß ist berichtigt
event-answer = Eine Frage ist beantwortet
challenge-of = Einspruch von { $name }: { $about }. Bis zur Entscheidung bleibt der Stand.
challenge-lines = Linien
challenge-contact = Berührung
challenge-count = was fiel
challenge-foul = das Foul
challenge-missed_foul = ein Foul, das nicht gegeben wurde
challenge-time = Zeit
event-challenge = Ein Stoß ist angefochten
event-verdict = Eine Anfechtung ist entschieden
says-verdict = Einspruch: { $result }
verdict-upheld = stattgegeben
verdict-rejected = abgelehnt
verdict-inconclusive = nicht zu erkennen, es bleibt dabei
says-challenges-left = Einsprüche übrig: { $left }
event-placed = Steine sind gelegt
event-pause = Das Spiel ist angehalten
event-resume = Das Spiel geht weiter
event-play = Der Schiedsrichter gibt das Spiel frei
event-trial = Probebrett
event-next_board = Das nächste Brett beginnt
event-timeout = Die Stoßuhr ist abgelaufen
event-pass = Der Stoß wird ausgelassen
event-seats = Die Spieler wechseln die Plätze
event-drop = Ein Stein fiel ohne Stoß
event-seen = Die Kamera hat etwas gesehen
event-claim = Punkte werden verlangt
event-call = Der Schiedsrichter hat entschieden
event-round_over = Die Zeit der Runde ist um

## The ruling in full
ruling = Entscheidung
ruling-number = Entscheidung { $seq }
nothing-ruled = Noch ist nichts entschieden.
provisional = vorläufig
to-confirm = zu bestätigen
not-saved = gesagt, noch nicht gespeichert
comes-back = { $piece } kommt zurück
not-watched = nicht beobachtet: { $facts }
changed = { $count ->
    [one] Eine frühere Entscheidung ist jetzt anders
   *[other] { $count } frühere Entscheidungen sind jetzt anders
  }
taken-back = zurückgenommen
told = nach Auskunft einer Person
fix-stroke = Stoß { $seq } berichtigen
place-now = Jetzt zu legen:
take-off = Wegzunehmen:
place-ring = in den äußeren Kreis
place-at = wo der Ring gezeichnet ist
place-centre = in die Mitte
answer-none-of-these = nichts davon
answer-replay-the-stroke = Stoß wiederholen
answer-foul = Foul
answer-no-foul = kein Foul
answer-seen = wir richten es
answer-it-was-put-back = er wurde zurückgelegt
answer-it-counts = er zählt
answer-play-on = weiterspielen
answer-set-the-board-up-anew = Brett neu aufbauen
answer-accept-the-board-as-it-lies = Brett annehmen, wie es liegt
answer-it-fell-into-a-pocket-with-no-stroke = er fiel ohne Stoß in eine Tasche
answer-it-lies-on-the-board = er liegt auf dem Brett
answered-pocketed = { $value }
answered-pocketed-none = nichts fiel
answered-off-board = vom Brett: { $value }
answered-off-board-none = nichts verließ das Brett
