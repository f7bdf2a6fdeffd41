"""Topics, payloads, the broker's client. Does not know how a ruling comes about.

`topics` names everything, `payloads` are the messages as values, `scoreboard` derives them from rulings (pure),
`calls` decides which umpire's calls are taken (pure), `discovery` tells Home Assistant, `client` is the only part
with a socket.
"""
