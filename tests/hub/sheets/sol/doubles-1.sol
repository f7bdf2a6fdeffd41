championships:
- {club: 1, couplings: serial, description: Doubles 2026, guid: 8ecace22ecf311f1af4402fc00000001,
  modified: ! '2026-11-30 19:23:44', playersperteam: 2, prizes: fixed, skipworstprizes: 0}
clubs:
- {couplings: serial, description: Carrom Club Aundh, guid: 8ebd583cecf311f1992902fc00000001,
  modified: ! '2026-11-30 19:23:44', nationality: IND, prizes: fixed}
players:
- {agreedprivacy: A, email: chitra@example.org, firstname: Chitra, guid: 8eda83a8ecf311f1916202fc00000001,
  lastname: De Souza, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: dev@example.org, firstname: Dev, guid: 8edc2050ecf311f1916202fc00000001,
  lastname: Patil, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, firstname: Anil, guid: 8ee24070ecf311f1916202fc00000001, lastname: Kumar,
  modified: ! '2026-11-30 19:23:44', nationality: IND, nickname: Tall, sex: F}
- {agreedprivacy: A, firstname: Anil, guid: 8ee27f4aecf311f1916202fc00000001, lastname: Kumar,
  modified: ! '2026-11-30 19:23:44', nationality: IND, nickname: Small, sex: F}
- {agreedprivacy: A, email: ela@example.org, firstname: Ela, guid: 8edd3dd2ecf311f1916202fc00000001,
  lastname: Müller, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: fay@example.org, firstname: Fay, guid: 8ede6392ecf311f1916202fc00000001,
  lastname: No, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: asha@example.org, firstname: Asha, guid: 8ed59190ecf311f1916202fc00000001,
  lastname: Rao, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: ben@example.org, firstname: Ben, guid: 8eda4dd4ecf311f1916202fc00000001,
  lastname: Kim, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: gita@example.org, firstname: Gita, guid: 8edea5d2ecf311f1916202fc00000001,
  lastname: आशा, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: hema@example.org, firstname: Hema, guid: 8ee067f0ecf311f1916202fc00000001,
  lastname: Yes, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
rates: []
ratings: []
users: []
---
championship: 1
competitors:
- bucholz: 0
  netscore: 0
  players: [1, 2]
  points: 0
  totscore: 0
- bucholz: 0
  netscore: 0
  players: [3, 4]
  points: 0
  totscore: 0
- bucholz: 0
  netscore: 0
  players: [5, 6]
  points: 0
  totscore: 0
- bucholz: 0
  netscore: 0
  players: [7, 8]
  points: 0
  totscore: 0
- bucholz: 0
  netscore: 0
  players: [9, 10]
  points: 0
  totscore: 0
couplings: serial
currentturn: 1
date: 2026-12-05
delaycompatriotpairing: 0
delaytoppairing: 1
description: Doubles
duration: 45
finalkind: simple
finals: 0
guid: 8f071fc6ecf311f1af4402fc00000001
matches:
- {board: 1, competitor1: 1, competitor2: 3, score1: 0, score2: 0, turn: 1}
- {board: 2, competitor1: 2, competitor2: 5, score1: 0, score2: 0, turn: 1}
- {board: 3, competitor1: 4, competitor2: null, score1: 25, score2: 0, turn: 1}
matcheskind: simple
modified: 2026-11-30 19:23:44
phantomscore: 25
prealarm: 5
prized: false
rankedturn: 0
retirements: none
system: swiss
