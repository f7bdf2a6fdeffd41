/* The node's half of firmware/PROTOCOL.md: a ring of edges that are kept until
 * acknowledged, and the conversation about them. Plain C: edges, bytes and the
 * time go in, lines come out. Knows no pins and no registers.
 * Twin of controller/pockets/node_protocol.py; a test holds both to the same
 * bytes. */
#ifndef NODE_CORE_H
#define NODE_CORE_H
#include "messages.h"

struct settings {
    uint32_t id;
    uint8_t polarity; /* bit s: sensor s reads low when blocked */
    uint8_t beams;    /* bit s: sensor s is fitted */
    uint8_t unused; /* nodes of before keep a byte here; without it they would lose their id */
    uint8_t stuck_s;
};

/* 48 bits of microseconds are nine years. A gap takes GAP_SLOTS places: its
 * first time, its last time, how many (in `low`). */
struct entry {
    uint32_t low;
    uint16_t high;
    uint8_t info;
} __attribute__((packed));

struct node {
    struct settings settings;
    uint8_t kept;           /* the settings are those of the EEPROM */
    uint8_t settings_dirty; /* the board is to write them */
    uint16_t boot;
    const char *reset; /* in flash */
    uint32_t lead_us;  /* how long before its first byte a pong is written */

    struct entry ring[RING];
    uint8_t first, used; /* places */
    uint8_t gap_open;    /* the newest entry is a gap that may grow */
    uint8_t cursor;      /* places from `first` to what is sent next */
    uint32_t tail_seq, head_seq, cursor_seq;
    uint32_t lost;

    uint8_t pins, level, use;
    uint8_t edge_seen; /* bit s: edge_us[s] holds something */
    uint32_t edge_us[BEAMS];
    uint8_t noise[BEAMS];
    uint16_t blocked_beats[BEAMS];

    uint8_t run, hello_due, pong_due, settings_due;
    uint16_t nonce;
    uint32_t pong_id;
    uint64_t pong_us, pong_at;
    uint64_t beat_at, resend_at;
    uint32_t resend_us;
    uint8_t resend_armed;

    uint16_t rx_bad;
    uint8_t rx_length, rx_skipping;
    char rx[MAX_HOST_LINE];

    struct line line;
    uint64_t line_at; /* not to be sent before */
    char text[MAX_NODE_LINE];
};

/* Begins a boot. Everything but `settings`, `kept`, `boot`, `reset` and
 * `lead_us`, which the board has filled in, starts from nothing. */
void node_start(struct node *node, uint8_t pins, uint64_t us);

/* All eight inputs as they were at `us`; changes become edges. */
void node_pins(struct node *node, uint8_t pins, uint64_t us);
/* Edges that the interrupt had to drop. */
void node_lost(struct node *node, uint64_t first_us, uint64_t last_us,
               uint32_t count);
/* One byte from the host; `us` is when it came. */
void node_receive(struct node *node, char byte, uint64_t us);
/* Writes the next line that is due into node->line; false if none is. */
bool node_task(struct node *node, uint64_t us);

#endif
