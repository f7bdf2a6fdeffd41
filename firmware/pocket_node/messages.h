/* Written by controller/pockets/c_header.py from controller/pockets/messages.py. Change it there. */
#ifndef MESSAGES_H
#define MESSAGES_H
#include "line.h"

#define PROTO 1UL
#define BAUD 250000UL
#define BEAMS 8UL
#define RING 96UL
#define MAX_NODE_LINE 176UL
#define MAX_HOST_LINE 72UL
#define HOST_FIELDS 5UL
#define BEAT_US 250000UL
#define RESEND_US 100000UL
#define RESEND_MAX_US 1000000UL
#define NOISE_US 500UL
#define DITHER 389UL
#define GAP_SLOTS 3UL
#define GAP_CLEAR 8UL
#define DICT 0xb735

static inline void
write_hello(struct line *line, uint64_t proto_, uint16_t dict_, uint32_t id_, const char *fw_, uint16_t boot_, uint16_t nonce_, uint64_t us_, uint8_t beams_, uint64_t ring_, uint64_t tail_, const char *reset_)
{
    line_begin(line, FLASH("hello"));
    line_dec(line, FLASH("proto"), proto_);
    line_hex(line, FLASH("dict"), dict_, 4);
    line_hex(line, FLASH("id"), id_, 8);
    line_word(line, FLASH("fw"), fw_);
    line_hex(line, FLASH("boot"), boot_, 4);
    line_hex(line, FLASH("nonce"), nonce_, 4);
    line_dec(line, FLASH("us"), us_);
    line_hex(line, FLASH("beams"), beams_, 2);
    line_dec(line, FLASH("ring"), ring_);
    line_dec(line, FLASH("tail"), tail_);
    line_word(line, FLASH("reset"), reset_);
    line_end(line);
}

static inline void
write_beam(struct line *line, uint64_t seq_, uint64_t us_, uint64_t s_, uint64_t lvl_)
{
    line_begin(line, FLASH("beam"));
    line_dec(line, FLASH("seq"), seq_);
    line_dec(line, FLASH("us"), us_);
    line_dec(line, FLASH("s"), s_);
    line_dec(line, FLASH("lvl"), lvl_);
    line_end(line);
}

static inline void
write_gap(struct line *line, uint64_t from_, uint64_t lost_, uint64_t us_, uint64_t to_)
{
    line_begin(line, FLASH("gap"));
    line_dec(line, FLASH("from"), from_);
    line_dec(line, FLASH("lost"), lost_);
    line_dec(line, FLASH("us"), us_);
    line_dec(line, FLASH("to"), to_);
    line_end(line);
}

static inline void
write_pong(struct line *line, uint16_t boot_, uint64_t id_, uint64_t rx_, uint64_t tx_)
{
    line_begin(line, FLASH("pong"));
    line_hex(line, FLASH("boot"), boot_, 4);
    line_dec(line, FLASH("id"), id_);
    line_dec(line, FLASH("rx"), rx_);
    line_dec(line, FLASH("tx"), tx_);
    line_end(line);
}

static inline void
write_beat(struct line *line, uint16_t boot_, uint64_t us_, uint64_t seq_, uint64_t buf_, uint64_t lost_, uint8_t lvl_, const uint8_t *noise_, uint8_t stuck_, uint8_t use_, uint64_t run_, uint64_t rx_bad_)
{
    line_begin(line, FLASH("beat"));
    line_hex(line, FLASH("boot"), boot_, 4);
    line_dec(line, FLASH("us"), us_);
    line_dec(line, FLASH("seq"), seq_);
    line_dec(line, FLASH("buf"), buf_);
    line_dec(line, FLASH("lost"), lost_);
    line_bits(line, FLASH("lvl"), lvl_);
    line_bytes8(line, FLASH("noise"), noise_);
    line_hex(line, FLASH("stuck"), stuck_, 2);
    line_hex(line, FLASH("use"), use_, 2);
    line_dec(line, FLASH("run"), run_);
    line_dec(line, FLASH("rx_bad"), rx_bad_);
    line_end(line);
}

static inline void
write_settings(struct line *line, uint32_t id_, uint8_t polarity_, uint8_t beams_, uint64_t stuck_s_, uint64_t kept_)
{
    line_begin(line, FLASH("settings"));
    line_hex(line, FLASH("id"), id_, 8);
    line_hex(line, FLASH("polarity"), polarity_, 2);
    line_hex(line, FLASH("beams"), beams_, 2);
    line_dec(line, FLASH("stuck_s"), stuck_s_);
    line_dec(line, FLASH("kept"), kept_);
    line_end(line);
}

enum host_message {
    HOST_HELLO,
    HOST_RESUME,
    HOST_ACK,
    HOST_PING,
    HOST_MASK,
    HOST_SET,
    HOST_GET,
    HOST_MESSAGES
};

#define HELLO_PROTO 0
#define HELLO_NONCE 1
#define RESUME_BOOT 0
#define RESUME_NEXT 1
#define ACK_BOOT 0
#define ACK_SEQ 1
#define PING_ID 0
#define PING_PAD 1
#define MASK_USE 0
#define SET_ID 0
#define SET_POLARITY 1
#define SET_BEAMS 2
#define SET_STUCK_S 3

/* name, then for each field its kind, whether it must be there, its key */
static const char host_table[] FLASHED =
    "hello d!proto 4!nonce;"
    "resume 4!boot d!next;"
    "ack 4!boot d!seq;"
    "ping d!id w?pad;"
    "mask 2!use;"
    "set 8?id 2?polarity 2?beams d?stuck_s;"
    "get;";

#endif
