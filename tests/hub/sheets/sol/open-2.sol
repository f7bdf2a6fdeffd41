championships:
- {club: 1, couplings: serial, description: Singles 2026, guid: 8ec419c4ecf311f19a4c02fc00000001,
  modified: ! '2026-11-30 19:23:44', playersperteam: 1, prizes: fixed, skipworstprizes: 0}
clubs:
- {couplings: serial, description: Carrom Club Aundh, guid: 8ebd583cecf311f1992902fc00000001,
  modified: ! '2026-11-30 19:23:44', nationality: IND, prizes: fixed}
players:
- {agreedprivacy: A, email: chitra@example.org, firstname: Chitra, guid: 8eda83a8ecf311f1916202fc00000001,
  lastname: De Souza, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: ben@example.org, firstname: Ben, guid: 8eda4dd4ecf311f1916202fc00000001,
  lastname: Kim, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: ela@example.org, firstname: Ela, guid: 8edd3dd2ecf311f1916202fc00000001,
  lastname: Müller, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: fay@example.org, firstname: Fay, guid: 8ede6392ecf311f1916202fc00000001,
  lastname: No, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: dev@example.org, firstname: Dev, guid: 8edc2050ecf311f1916202fc00000001,
  lastname: Patil, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: asha@example.org, firstname: Asha, guid: 8ed59190ecf311f1916202fc00000001,
  lastname: Rao, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: hema@example.org, firstname: Hema, guid: 8ee067f0ecf311f1916202fc00000001,
  lastname: Yes, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
- {agreedprivacy: A, email: gita@example.org, firstname: Gita, guid: 8edea5d2ecf311f1916202fc00000001,
  lastname: आशा, modified: ! '2026-11-30 19:23:44', nationality: IND, sex: F}
rates: []
ratings: []
users: []
---
championship: 1
competitors:
- bucholz: 0
  netscore: 1
  players: [1]
  points: 2
  totscore: 18
- bucholz: 2
  netscore: -18
  players: [2]
  points: 0
  totscore: 7
- bucholz: 2
  netscore: -1
  players: [3]
  points: 0
  totscore: 17
- bucholz: 0
  netscore: 14
  players: [4]
  points: 2
  totscore: 25
- bucholz: 2
  netscore: -14
  players: [5]
  points: 0
  totscore: 11
- bucholz: 0
  netscore: 25
  players: [6]
  points: 2
  totscore: 25
- bucholz: 0
  netscore: 18
  players: [7]
  points: 2
  totscore: 25
- bucholz: 2
  netscore: -25
  players: [8]
  points: 0
  totscore: 0
couplings: serial
currentturn: 2
date: 2026-12-05
delaycompatriotpairing: 0
delaytoppairing: 1
description: Open singles
duration: 45
finalkind: simple
finals: 0
guid: 8ee66880ecf311f1992902fc00000001
matches:
- {board: 1, competitor1: 4, competitor2: 5, score1: 25, score2: 11, turn: 1}
- {board: 2, competitor1: 2, competitor2: 7, score1: 7, score2: 25, turn: 1}
- {board: 3, competitor1: 6, competitor2: 8, score1: 25, score2: 0, turn: 1}
- {board: 4, competitor1: 1, competitor2: 3, score1: 18, score2: 17, turn: 1}
- {board: 1, competitor1: 6, competitor2: 7, score1: 0, score2: 0, turn: 2}
- {board: 2, competitor1: 4, competitor2: 1, score1: 0, score2: 0, turn: 2}
- {board: 3, competitor1: 3, competitor2: 5, score1: 0, score2: 0, turn: 2}
- {board: 4, competitor1: 2, competitor2: 8, score1: 0, score2: 0, turn: 2}
matcheskind: simple
modified: 2026-11-30 19:41:16
phantomscore: 25
prealarm: 5
prized: false
rankedturn: 1
retirements: none
system: swiss
