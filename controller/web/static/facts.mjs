// Made by `make schemas` from controller/events/match.py and words.py; do not edit.

// What a page calls them in English.
export const LABELS = {
  "elapsed": "time",
  "placement": "placement",
  "placement.lines": "lines touched",
  "placement.circle": "base circle",
  "placement.arrow": "on the arrow",
  "placement.touching": "touching a piece",
  "left_baseline": "striker left the base line",
  "heading": "direction of the stroke",
  "all_at_rest": "all at rest when struck",
  "contacts": "what the striker met",
  "pocketed": "what fell",
  "off_board": "what left the board",
  "crossed_baseline": "pieces over the base line (break)",
  "flags.hand_touched_piece": "hand touched a piece",
  "flags.two_hands": "two hands",
  "flags.push": "push",
  "flags.elbow": "elbow over the line",
  "flags.shake": "board shaken",
  "flags.striker_touched": "striker touched again",
  "flags.moving_piece_removed": "moving piece taken",
  "flags.piece_moved_before": "piece moved before",
  "flags.replaced": "piece replaced",
  "flags.delay": "delay",
  "flags.over_half": "over half the board",
  "flags.body_over_diagonal": "body over the diagonal",
  "flags.chair": "chair moved",
  "flags.practice": "practice"
};

// The rows of the form. `values`: none for a number, which may be left out.
export const FACTS = [
  {
    "path": "placement.lines",
    "values": [
      "both",
      "one",
      "none"
    ],
    "inOrder": "both"
  },
  {
    "path": "placement.circle",
    "values": [
      "clear",
      "covered",
      "partial"
    ],
    "inOrder": "clear"
  },
  {
    "path": "placement.arrow",
    "values": [
      false,
      true
    ],
    "inOrder": false
  },
  {
    "path": "placement.touching",
    "values": [
      false,
      true
    ],
    "inOrder": false
  },
  {
    "path": "left_baseline",
    "values": [
      true,
      false
    ],
    "inOrder": true
  },
  {
    "path": "heading",
    "values": [
      "forward",
      "backward"
    ],
    "inOrder": "forward"
  },
  {
    "path": "all_at_rest",
    "values": [
      true,
      false
    ],
    "inOrder": true
  },
  {
    "path": "crossed_baseline",
    "values": [],
    "inOrder": null
  }
];

// The form's boxes.
export const FLAGS = [
  "hand_touched_piece",
  "two_hands",
  "push",
  "elbow",
  "shake",
  "striker_touched",
  "moving_piece_removed",
  "piece_moved_before",
  "replaced",
  "delay",
  "over_half",
  "body_over_diagonal",
  "chair",
  "practice"
];

// Lists that are as left out when they are empty.
export const EMPTY_SAYS_NOTHING = [
  "flags",
  "off_board",
  "pocketed"
];
