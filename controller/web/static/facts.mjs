// Made by `make schemas` from controller/events/match.py and words.py; do not edit.

export const FACTS = [
  {
    "path": "placement.lines",
    "label": "Placement: lines touched",
    "values": [
      "both",
      "one",
      "none"
    ],
    "inOrder": "both"
  },
  {
    "path": "placement.circle",
    "label": "Placement: base circle",
    "values": [
      "clear",
      "covered",
      "partial"
    ],
    "inOrder": "clear"
  },
  {
    "path": "placement.arrow",
    "label": "On the arrow",
    "values": [
      false,
      true
    ],
    "inOrder": false
  },
  {
    "path": "placement.touching",
    "label": "Touching a piece",
    "values": [
      false,
      true
    ],
    "inOrder": false
  },
  {
    "path": "left_baseline",
    "label": "Striker left the base line",
    "values": [
      true,
      false
    ],
    "inOrder": true
  },
  {
    "path": "heading",
    "label": "Struck",
    "values": [
      "forward",
      "backward"
    ],
    "inOrder": "forward"
  },
  {
    "path": "all_at_rest",
    "label": "All at rest when struck",
    "values": [
      true,
      false
    ],
    "inOrder": true
  }
];

export const FLAGS = {
  "hand_touched_piece": "hand touched a piece",
  "two_hands": "two hands",
  "push": "push",
  "elbow": "elbow over the line",
  "shake": "board shaken",
  "striker_touched": "striker touched again",
  "moving_piece_removed": "moving piece taken",
  "piece_moved_before": "piece moved before",
  "replaced": "piece replaced",
  "delay": "delay",
  "over_half": "over half the board",
  "body_over_diagonal": "body over the diagonal",
  "chair": "chair moved",
  "practice": "practice"
};
