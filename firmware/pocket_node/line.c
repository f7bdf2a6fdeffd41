/* See line.h. */
#include "line.h"

#define TRAILER 7 /* '*', two digits of length, four of the check */
#define CHECK_START 0xFFFF

#ifdef __AVR__
#include <util/crc16.h>
#define check_byte _crc_xmodem_update
#else
static uint16_t
check_byte(uint16_t check, uint8_t byte)
{
    check ^= (uint16_t)(byte << 8);
    for (uint8_t bit = 0; bit < 8; bit++)
        check = (uint16_t)(check & 0x8000 ? check << 1 ^ 0x1021 : check << 1);
    return check;
}
#endif

static uint16_t
check_of(const char *text, uint8_t length)
{
    uint16_t check = CHECK_START;
    while (length--)
        check = check_byte(check, (uint8_t)*text++);
    return check;
}

/*** Writing ***/

static void
put(struct line *line, char c)
{
    line->text[line->length++] = c;
}

static void
put_flash(struct line *line, const char *text)
{
    char c;
    while ((c = FLASH_BYTE(text++)))
        put(line, c);
}

static void
put_key(struct line *line, const char *key)
{
    put(line, ' ');
    put_flash(line, key);
    put(line, '=');
}

static void
put_hex(struct line *line, uint32_t value, uint8_t digits)
{
    while (digits--) {
        uint8_t nibble = value >> (4 * digits) & 0xF;
        put(line, (char)(nibble < 10 ? '0' + nibble : 'a' - 10 + nibble));
    }
}

void
line_begin(struct line *line, const char *name)
{
    line->length = 0;
    put_flash(line, name);
}

static const uint32_t tens[] FLASHED = {
    100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1,
};
/* No number of the node has more than 48 bits. */
static const uint32_t high_tens[] FLASHED = { 1000000, 100000, 10000, 1000, 100, 10, 1 };
#define BILLION 1000000000UL

/* Divides by taking away: a division costs this chip 100 us a digit at 64
 * bits. `value` is below 10^15. */
void
line_dec(struct line *line, const char *key, uint64_t value)
{
    uint8_t started = 0;
    put_key(line, key);
    for (uint8_t at = 0; at < sizeof high_tens / sizeof *high_tens; at++) {
        /* Most numbers are small: spare them the 64-bit work. */
        if (!started && value < BILLION)
            break;
        uint64_t ten = (uint64_t)FLASH_DWORD(&high_tens[at]) * BILLION;
        char digit = '0';
        while (value >= ten) {
            value -= ten;
            digit++;
        }
        started |= digit != '0';
        if (started)
            put(line, digit);
    }
    uint32_t rest = (uint32_t)value;
    for (uint8_t at = 0; at < sizeof tens / sizeof *tens; at++) {
        uint32_t ten = FLASH_DWORD(&tens[at]);
        char digit = '0';
        while (rest >= ten) {
            rest -= ten;
            digit++;
        }
        started |= digit != '0' || ten == 1;
        if (started)
            put(line, digit);
    }
}

void
line_hex(struct line *line, const char *key, uint32_t value, uint8_t digits)
{
    put_key(line, key);
    put_hex(line, value, digits);
}

void
line_bits(struct line *line, const char *key, uint8_t value)
{
    put_key(line, key);
    for (uint8_t bit = 0; bit < 8; bit++)
        put(line, value >> bit & 1 ? '1' : '0');
}

void
line_bytes8(struct line *line, const char *key, const uint8_t *values)
{
    put_key(line, key);
    for (uint8_t at = 0; at < 8; at++)
        put_hex(line, values[at], 2);
}

void
line_word(struct line *line, const char *key, const char *word)
{
    put_key(line, key);
    put_flash(line, word);
}

void
line_end(struct line *line)
{
    uint8_t length = line->length;
    uint16_t check = check_of(line->text, length);
    put(line, '*');
    put_hex(line, length, 2);
    put_hex(line, check, 4);
    put(line, '\n');
}

/*** Reading ***/

/* Reads exactly `digits` lower-case hex digits. */
static bool
read_hex(const char *at, uint8_t digits, uint32_t *value)
{
    *value = 0;
    while (digits--) {
        char c = *at++;
        if (c >= '0' && c <= '9')
            c -= '0';
        else if (c >= 'a' && c <= 'f')
            c -= 'a' - 10;
        else
            return false;
        *value = *value << 4 | (uint8_t)c;
    }
    return true;
}

static bool
read_num(const char *at, uint8_t length, uint32_t *value)
{
    if (length == 0 || length > 9 || (*at == '0' && length > 1))
        return false;
    *value = 0;
    while (length--) {
        char c = *at++;
        if (c < '0' || c > '9')
            return false;
        *value = *value * 10 + (uint8_t)(c - '0');
    }
    return true;
}

static bool
read_word(const char *at, uint8_t length)
{
    if (length == 0 || length > 48)
        return false;
    while (length--) {
        char c = *at++;
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '_' && c != '+' && c != '-')
            return false;
    }
    return true;
}

static bool
read_value(char kind, const char *at, uint8_t length, uint32_t *value)
{
    if (kind == 'd')
        return read_num(at, length, value);
    if (kind == 'w')
        return read_word(at, length);
    return length == (uint8_t)(kind - '0') && read_hex(at, length, value);
}

/* Length and check first: nothing else of a damaged line means anything. */
static bool
is_sealed(const char *raw, uint8_t length)
{
    uint32_t said, check;
    if (length <= TRAILER)
        return false;
    const char *end = raw + length - TRAILER;
    return *end == '*' && read_hex(end + 1, 2, &said)
        && said == (uint8_t)(length - TRAILER) && read_hex(end + 3, 4, &check)
        && check == check_of(raw, length - TRAILER);
}

/* name( key=value)*, single spaces, seven-bit. */
static bool
is_grammatical(const char *at, const char *end)
{
    uint8_t token = 0;
    bool first = true, equals = false, value = false;
    for (; at <= end; at++) {
        char c = at < end ? *at : ' ';
        if (c & 0x80)
            return false;
        if (c == ' ') {
            if (token == 0 || (!first && !value))
                return false;
            first = equals = value = false;
            token = 0;
            continue;
        }
        if (!first && c == '=' && !equals) {
            if (token == 0)
                return false;
            equals = true;
        } else if (equals) {
            value = true;
        }
        token++;
    }
    return true;
}

static uint8_t
word_length(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at != ' ')
        at++;
    return (uint8_t)(at - start);
}

/* Compares with a name in flash that ends at ' ', ';' or the end. */
static bool
is_named(const char *at, uint8_t length, const char *name)
{
    while (length--)
        if (*at++ != FLASH_BYTE(name++))
            return false;
    char after = FLASH_BYTE(name);
    return after == ' ' || after == ';';
}

/* Finds `key` among the pairs. Returns how often it stands there. */
static uint8_t
find_pair(const char *at, const char *end, const char *key,
          const char **value, uint8_t *length)
{
    uint8_t times = 0;
    while (at < end) {
        uint8_t token = word_length(at, end), name = 0;
        while (at[name] != '=')
            name++;
        if (is_named(at, name, key)) {
            times++;
            *value = at + name + 1;
            *length = (uint8_t)(token - name - 1);
        }
        at += token + 1;
    }
    return times;
}

/* Reads the fields that the table names from there on. */
static enum line_verdict
read_fields(const char *pairs, const char *end, const char *field,
            struct host_line *out)
{
    out->present = 0;
    for (uint8_t place = 0; FLASH_BYTE(field) == ' '; place++) {
        const char *value = pairs;
        uint8_t length = 0;
        char kind = FLASH_BYTE(field + 1);
        bool needed = FLASH_BYTE(field + 2) == '!';
        uint8_t times = find_pair(pairs, end, field + 3, &value, &length);
        if (times > 1 || (times == 0 && needed))
            return LINE_BAD;
        if (times) {
            if (!read_value(kind, value, length, &out->value[place]))
                return LINE_BAD;
            out->present |= (uint8_t)(1 << place);
        }
        do
            field++;
        while (FLASH_BYTE(field) != ' ' && FLASH_BYTE(field) != ';');
    }
    return LINE_SOUND;
}

enum line_verdict
line_read(const char *raw, uint8_t length, const char *table,
          struct host_line *out)
{
    if (!is_sealed(raw, length))
        return LINE_BAD;
    const char *end = raw + length - TRAILER;
    if (!is_grammatical(raw, end))
        return LINE_BAD;
    uint8_t name = word_length(raw, end);
    const char *pairs = raw + name < end ? raw + name + 1 : end;
    for (uint8_t message = 0; FLASH_BYTE(table); message++) {
        bool found = is_named(raw, name, table);
        while (FLASH_BYTE(table) != ' ' && FLASH_BYTE(table) != ';')
            table++;
        if (found) {
            out->message = message;
            return read_fields(pairs, end, table, out);
        }
        while (FLASH_BYTE(table++) != ';')
            ;
    }
    return LINE_UNKNOWN;
}
