# The scoreboard's words and the rulings in French. UNREVIEWED: no speaker of it has read them yet.
# What is not here (the console's own words, the club's pages) is shown in English.


## What the pages are called
scoreboard = Tableau de marque
umpire = Arbitre
hall = Pour la salle
pages = Pages
more = Plus
alerts = Alertes
strokes = Coups et décisions
language = Langue
replay = Au ralenti
voice = Dire les décisions à voix haute
voice-none = Dire les décisions à voix haute : aucune voix ici pour cette langue

## Whether the table watches
watch-armed = Surveille
watch-degraded = En partie
watch-off = À la main
watch-stopped = Arrêté
watch-lost = Pas de connexion
watch-starting = Préparation
simulated = Simulée
setting-up-camera = préparation de la caméra…
lost-since = entendu pour la dernière fois à { $time }
last-seen = vu pour la dernière fois à { $time }
never-seen = pas encore vu
trouble-camera-stalled = la caméra n’envoie pas d’images
trouble-camera-lost = la caméra a disparu
trouble-camera-blind = la caméra ne voit pas le plateau
trouble-camera-silent = la caméra ne dit rien
trouble-camera-away = la caméra démarre ou manque
trouble-node-down = les capteurs des poches se taisent
trouble-node-stale = les capteurs des poches se taisent
trouble-node-restarting = les capteurs des poches redémarrent sans cesse
trouble-broker-lost = les affichages sont coupés
trouble-broker-refused = les affichages sont refusés
trouble-beams = la poche { $pockets } est aveugle
trouble-journal = rien n’est enregistré
trouble-disk = le disque est plein
trouble-part = une partie est en panne

## Pieces, seats, states
piece-white = blanc
piece-black = noir
piece-queen = reine
piece-striker = palet
piece-unknown = inconnu
pieces = { $count ->
    [one] { $piece }
   *[other] { $count } { $piece }
  }
piece-in = { $piece } dans { $pocket }
pieces-of = { $pieces } de { $side }
seat-south = Sud
seat-north = Nord
seat-east = Est
seat-west = Ouest
nobody = personne
nothing = rien
yes = oui
no = non
state-idle = Pas de match
state-trial = Plateau d’essai
state-playing = En jeu
state-paused = Arrêté
state-board_over = Plateau terminé
state-match_over = Match terminé
board = Plateau
board-number = Plateau { $board }
game-board = Manche { $game }, plateau { $board }
clock = Chronomètre du coup
seconds = { $count } s
round-left = Tour : { $count } min
round-last = Dernier plateau du tour
to-play = à jouer
won = gagné
doubt = une question ouverte peut changer cela
sign-left = { $count } { $piece } encore sur le plateau
sign-hand = { $count } en main
sign-queen-pending = la reine, pas encore couverte
sign-queen-covered = la reine, couverte
sign-due = doit { $count }
sign-games = { $count ->
    [one] une manche gagnée
   *[other] { $count } manches gagnées
  }
course = Le cours du match
wins-points = gagne { $count }

## A ruling in one sentence
says-foul = Faute de { $name } : { $what }
says-void = Le coup est repris
says-drawn = Le plateau est nul
says-board = { $name } gagne le plateau avec { $points ->
    [one] 1 point
   *[other] { $points } points
  }
says-match = { $name } gagne le match
says-given-forfeit = { $name } a déclaré forfait
says-given-disqualify = { $name } a été disqualifié
says-given-concede = { $name } a abandonné
says-match-over = Le match est terminé
says-pays = { $name } paie { $count }
says-pays-owes = { $name } paie { $count } et doit { $owed }
says-owes = { $name } doit { $count }
says-back = à remettre : { $pieces }
says-off = à retirer : { $pieces }
says-asks = une question est ouverte
says-plays-on = { $name } continue
says-to-play = à { $name } de jouer
says-score = Le score : { $points }
event-start = Le match commence
event-set = L’arbitre a fixé la position
event-override = L’arbitre a fixé un chiffre
event-correct = Un coup est corrigé
event-answer = Une question a sa réponse
challenge-of = { $name } conteste : { $about }. Le score reste jusqu'à la décision.
challenge-lines = les lignes
challenge-contact = le contact
challenge-count = ce qui est tombé
challenge-foul = la faute
challenge-missed_foul = une faute non sifflée
challenge-time = le temps
event-challenge = Un coup est contesté
event-verdict = Une contestation est tranchée
says-verdict = Contestation : { $result }
verdict-upheld = acceptée
verdict-rejected = rejetée
verdict-inconclusive = indécidable, la décision reste
says-challenges-left = Contestations restantes : { $left }
event-placed = Des pions sont placés
event-pause = Le jeu est arrêté
event-resume = Le jeu reprend
event-play = L’arbitre annonce le jeu
event-trial = Plateau d’essai
event-next_board = Le plateau suivant commence
event-timeout = Le temps du coup est écoulé
event-pass = Le coup est passé
event-seats = Les joueurs changent de place
event-drop = Un pion est tombé sans coup
event-seen = La caméra a vu quelque chose
event-claim = Des points sont réclamés
event-call = L’arbitre s’est prononcé
event-round_over = Le temps du tour est écoulé

## The ruling in full
ruling = Décision
ruling-number = Décision { $seq }
nothing-ruled = Rien n’est encore décidé.
provisional = provisoire
to-confirm = à confirmer
not-saved = annoncé, pas encore enregistré
comes-back = { $piece } revient
not-watched = pas surveillé : { $facts }
changed = { $count ->
    [one] Une décision précédente est différente maintenant
   *[other] { $count } décisions précédentes sont différentes maintenant
  }
taken-back = repris
told = selon une personne
fix-stroke = Corriger le coup { $seq }
place-now = À placer maintenant :
take-off = À retirer :
place-ring = dans le cercle extérieur
place-at = là où l’anneau est dessiné
place-centre = au centre
answer-none-of-these = rien de tout cela
answer-replay-the-stroke = rejouer le coup
answer-foul = faute
answer-no-foul = pas de faute
answer-seen = nous corrigeons
answer-it-was-put-back = il a été remis en place
answer-it-counts = il compte
answer-play-on = continuer
answer-set-the-board-up-anew = remettre le plateau en place
answer-accept-the-board-as-it-lies = accepter le plateau tel quel
answer-it-fell-into-a-pocket-with-no-stroke = il est tombé dans une poche sans coup
answer-it-lies-on-the-board = il est sur le plateau
answered-pocketed = { $value }
answered-pocketed-none = rien n’est tombé
answered-off-board = hors du plateau : { $value }
answered-off-board-none = rien n’a quitté le plateau
