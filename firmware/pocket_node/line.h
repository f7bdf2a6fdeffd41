/* Lines of the protocol: values to text and text to values. Plain C for the
 * node and for the host's tests; knows no pins, no clock and no meaning. */
#ifndef LINE_H
#define LINE_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define FLASHED PROGMEM
#define FLASH(text) PSTR(text)
#define FLASH_BYTE(at) ((char)pgm_read_byte(at))
#define FLASH_DWORD(at) pgm_read_dword(at)
#else
#define FLASHED
#define FLASH(text) (text)
#define FLASH_BYTE(at) (*(at))
#define FLASH_DWORD(at) (*(at))
#endif

/*** Writing: begin, values, end. Names and keys lie in flash. ***/

struct line {
    char *text;
    uint8_t length;
};

void line_begin(struct line *line, const char *name);
void line_dec(struct line *line, const char *key, uint64_t value);
void line_hex(struct line *line, const char *key, uint32_t value,
              uint8_t digits);
void line_bits(struct line *line, const char *key, uint8_t value);
void line_bytes8(struct line *line, const char *key, const uint8_t *values);
void line_word(struct line *line, const char *key, const char *word);
void line_end(struct line *line);

/*** Reading what a host says ***/

#define LINE_VALUES 5

enum line_verdict { LINE_BAD, LINE_UNKNOWN, LINE_SOUND };

struct host_line {
    uint8_t message;
    uint8_t present; /* bit n: value n was there */
    uint32_t value[LINE_VALUES];
};

/* Reads `length` bytes without their newline; `table` is the host's half of
 * the table of messages. Fills `out` only for a sound line. */
enum line_verdict line_read(const char *raw, uint8_t length, const char *table,
                            struct host_line *out);

#endif
