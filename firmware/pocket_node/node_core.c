/* See node_core.h. Clause numbers are those of firmware/PROTOCOL.md. */
#include "node_core.h"
#include <string.h>

#define FIRMWARE "1.1.0"
#define GAP 0x80 /* in entry.info; else bits 1 to 4 the sensor, bit 0 the level */

/*** The ring ***/

static struct entry *
place(struct node *node, uint8_t from_first)
{
    uint8_t at = node->first + from_first;
    return &node->ring[at >= RING ? at - RING : at];
}

static void
stamp(struct entry *entry, uint64_t us)
{
    entry->low = (uint32_t)us;
    entry->high = (uint16_t)(us >> 32);
}

static uint64_t
stamped(const struct entry *entry)
{
    return (uint64_t)entry->high << 32 | entry->low;
}

static bool
is_gap(const struct entry *entry)
{
    return entry->info & GAP;
}

/* How many numbers the entry at that place stands for. */
static uint32_t
count_of(struct node *node, uint8_t from_first)
{
    if (is_gap(place(node, from_first)))
        return place(node, from_first + 2)->low;
    return 1;
}

static uint8_t
places_of(struct node *node, uint8_t from_first)
{
    return is_gap(place(node, from_first)) ? GAP_SLOTS : 1;
}

/* node-15: the newest are dropped, and a gap holds their numbers. There is
 * always room for one: edges leave GAP_SLOTS places free. */
void
node_lost(struct node *node, uint64_t first_us, uint64_t last_us,
          uint32_t count)
{
    bool at_head = node->cursor == node->used;
    node->lost += count;
    node->head_seq += count;
    if (node->gap_open) {
        place(node, node->used - 1)->low += count;
        stamp(place(node, node->used - 2), last_us);
        /* Already sent as it was: the resend timer sends it as it is now. */
        if (at_head)
            node->cursor_seq += count;
        return;
    }
    for (uint8_t slot = 0; slot < GAP_SLOTS; slot++)
        place(node, node->used + slot)->info = GAP;
    stamp(place(node, node->used), first_us);
    stamp(place(node, node->used + 1), last_us);
    place(node, node->used + 2)->low = count;
    node->used += GAP_SLOTS;
    node->gap_open = 1;
}

static void
push(struct node *node, uint64_t us, uint8_t sensor, uint8_t level)
{
    uint8_t free = RING - node->used;
    if (node->gap_open && free >= GAP_CLEAR)
        node->gap_open = 0;
    if (node->gap_open || free <= GAP_SLOTS) {
        node_lost(node, us, us, 1);
        return;
    }
    struct entry *entry = place(node, node->used);
    stamp(entry, us);
    entry->info = (uint8_t)(sensor << 1 | level);
    node->used++;
    node->head_seq++;
}

static void
rewind_cursor(struct node *node)
{
    node->cursor = 0;
    node->cursor_seq = node->tail_seq;
}

/* node-13: frees everything before `next`, part of a gap included. */
static void
held(struct node *node, uint32_t next, uint64_t us)
{
    if (next > node->head_seq)
        next = node->head_seq;
    if (next <= node->tail_seq)
        return;
    while (node->tail_seq < next) {
        uint32_t count = count_of(node, 0);
        uint8_t places = places_of(node, 0);
        if (next - node->tail_seq < count) {
            place(node, 2)->low = count - (next - node->tail_seq);
            node->tail_seq = next;
            break;
        }
        node->tail_seq += count;
        node->used -= places;
        node->first = (uint8_t)(place(node, places) - node->ring);
        node->cursor = node->cursor > places ? node->cursor - places : 0;
    }
    if (!node->used)
        node->gap_open = 0;
    if (node->cursor_seq < node->tail_seq)
        rewind_cursor(node);
    node->resend_us = RESEND_US;
    node->resend_armed = node->used != 0;
    node->resend_at = us + RESEND_US;
}

/*** What the pins say ***/

void
node_start(struct node *node, uint8_t pins, uint64_t us)
{
    struct settings settings = node->settings;
    uint8_t kept = node->kept;
    uint16_t boot = node->boot;
    const char *reset = node->reset;
    uint32_t lead_us = node->lead_us;
    memset(node, 0, sizeof *node);
    node->settings = settings;
    node->kept = kept;
    node->boot = boot;
    node->reset = reset;
    node->lead_us = lead_us;
    node->line.text = node->text;
    node->pins = pins;
    node->level = pins ^ settings.polarity;
    node->use = settings.beams;
    node->beat_at = us + BEAT_US;
    node->resend_us = RESEND_US;
    node->hello_due = 1; /* node-6 */
}

void
node_pins(struct node *node, uint8_t pins, uint64_t us)
{
    uint8_t level = pins ^ node->settings.polarity;
    uint8_t changed = (level ^ node->level) & node->use;
    node->pins = pins;
    node->level = level;
    for (uint8_t sensor = 0; sensor < BEAMS; sensor++) {
        uint8_t bit = (uint8_t)(1 << sensor);
        if (!(changed & bit))
            continue;
        if ((node->edge_seen & bit)
            && (uint32_t)us - node->edge_us[sensor] < NOISE_US
            && node->noise[sensor] != 0xFF)
            node->noise[sensor]++;
        node->edge_seen |= bit;
        node->edge_us[sensor] = (uint32_t)us;
        push(node, us, sensor, (level & bit) != 0);
    }
}

/*** What the host says ***/

/* node-8, node-9 */
static void
resume(struct node *node, const struct host_line *line, uint64_t us)
{
    if (line->value[RESUME_BOOT] != node->boot) {
        node->hello_due = 1;
        node->nonce = 0;
        return;
    }
    node->run = 1;
    held(node, line->value[RESUME_NEXT], us);
    rewind_cursor(node);
    node->resend_us = RESEND_US;
    node->resend_armed = 0;
    node->beat_at = us;
}

static bool
has(const struct host_line *line, uint8_t value)
{
    return line->present >> value & 1;
}

/* node-23 */
static void
set(struct node *node, const struct host_line *line)
{
    struct settings *settings = &node->settings;
    if (has(line, SET_ID))
        settings->id = line->value[SET_ID];
    if (has(line, SET_POLARITY))
        settings->polarity = (uint8_t)line->value[SET_POLARITY];
    if (has(line, SET_BEAMS))
        settings->beams = (uint8_t)line->value[SET_BEAMS];
    if (has(line, SET_STUCK_S)) {
        uint32_t seconds = line->value[SET_STUCK_S];
        settings->stuck_s = (uint8_t)(seconds < 1 ? 1 : seconds > 250 ? 250 : seconds);
    }
    node->kept = 1;
    node->settings_dirty = 1;
    node->use = settings->beams;
    node->level = node->pins ^ settings->polarity;
    node->settings_due = 1;
}

static void
obey(struct node *node, const struct host_line *line, uint64_t us)
{
    switch (line->message) {
    case HOST_HELLO:
        node->run = 0;
        node->hello_due = 1;
        node->nonce = (uint16_t)line->value[HELLO_NONCE];
        break;
    case HOST_PING:
        node->pong_due = 1;
        node->pong_id = line->value[PING_ID];
        node->pong_us = us;
        /* Anywhere in a millisecond, to break step with USB's frames. */
        node->pong_at = us + (node->pong_id * DITHER & 1023);
        break;
    case HOST_RESUME:
        resume(node, line, us);
        break;
    case HOST_ACK:
        if (node->run && line->value[ACK_BOOT] == node->boot)
            held(node, line->value[ACK_SEQ] + 1, us);
        break;
    case HOST_MASK: /* node-24 */
        node->use = (uint8_t)line->value[MASK_USE] & node->settings.beams;
        break;
    case HOST_SET:
        set(node, line);
        break;
    case HOST_GET:
        node->settings_due = 1;
        break;
    }
}

static void
take_line(struct node *node, uint64_t us)
{
    struct host_line line;
    uint8_t length = node->rx_length;
    node->rx_length = 0;
    /* node-5: nothing, and a terminal's carriage return, is no damage */
    if (length == 0 || (length == 1 && node->rx[0] == '\r'))
        return;
    enum line_verdict verdict = line_read(node->rx, length, host_table, &line);
    if (verdict == LINE_SOUND)
        obey(node, &line, us);
    else if (verdict == LINE_BAD)
        node->rx_bad++;
}

/* node-2, node-4 */
void
node_receive(struct node *node, char byte, uint64_t us)
{
    if (byte == '\n') {
        if (node->rx_skipping)
            node->rx_skipping = 0;
        else
            take_line(node, us);
        return;
    }
    if (node->rx_skipping)
        return;
    node->rx[node->rx_length++] = byte;
    if (node->rx_length == MAX_HOST_LINE) {
        node->rx_length = 0;
        node->rx_skipping = 1;
        node->rx_bad++;
    }
}

/*** What goes out ***/

/* node-20 */
static void
beat(struct node *node, uint64_t us)
{
    uint16_t limit = (uint16_t)(node->settings.stuck_s * (1000000UL / BEAT_US));
    uint8_t blocked = node->level & node->use, stuck = 0;
    for (uint8_t sensor = 0; sensor < BEAMS; sensor++) {
        uint16_t *beats = &node->blocked_beats[sensor];
        if (!(blocked >> sensor & 1))
            *beats = 0;
        else if (*beats != 0xFFFF)
            ++*beats;
        if (*beats >= limit)
            stuck |= (uint8_t)(1 << sensor);
    }
    write_beat(&node->line, node->boot, us, node->head_seq, node->used,
               node->lost, blocked, node->noise, stuck, node->use, node->run,
               node->rx_bad);
}

static void
entry(struct node *node, uint64_t us)
{
    struct entry *at = place(node, node->cursor);
    uint32_t seq = node->cursor_seq, count = count_of(node, node->cursor);
    if (is_gap(at)) {
        write_gap(&node->line, seq, count, stamped(at),
                  stamped(place(node, node->cursor + 1)));
        node->cursor += GAP_SLOTS;
    } else {
        write_beam(&node->line, seq, stamped(at), at->info >> 1, at->info & 1);
        node->cursor++;
    }
    node->cursor_seq += count;
    if (!node->resend_armed) {
        node->resend_armed = 1;
        node->resend_at = us + node->resend_us;
    }
}

bool
node_task(struct node *node, uint64_t us)
{
    struct settings *settings = &node->settings;
    node->line_at = us;
    if (node->hello_due) {
        node->hello_due = 0;
        write_hello(&node->line, PROTO, DICT, settings->id, FLASH(FIRMWARE),
                    node->boot, node->nonce, us, node->use, RING,
                    node->tail_seq, node->reset);
        return true;
    }
    if (node->pong_due && us >= node->pong_at) { /* node-18: written first, sent when it says */
        node->pong_due = 0;
        node->line_at = us + node->lead_us;
        write_pong(&node->line, node->boot, node->pong_id, node->pong_us,
                   node->line_at);
        return true;
    }
    if (node->settings_due) {
        node->settings_due = 0;
        write_settings(&node->line, settings->id, settings->polarity,
                       settings->beams, settings->stuck_s, node->kept);
        return true;
    }
    if (us >= node->beat_at) {
        node->beat_at += BEAT_US;
        if (node->beat_at <= us)
            node->beat_at = us + BEAT_US;
        beat(node, us);
        return true;
    }
    if (!node->run)
        return false;
    /* node-12 */
    if (node->cursor == node->used && node->resend_armed
        && us >= node->resend_at) {
        rewind_cursor(node);
        node->resend_us *= 2;
        if (node->resend_us > RESEND_MAX_US)
            node->resend_us = RESEND_MAX_US;
        node->resend_at = us + node->resend_us;
    }
    if (node->cursor == node->used)
        return false;
    entry(node, us);
    return true;
}
