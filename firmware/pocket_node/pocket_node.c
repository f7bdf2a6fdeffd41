/* The board: an ATmega328P at 16 MHz (Arduino Nano). Pins, timer, UART,
 * EEPROM, watchdog. Interrupts stamp and queue; one loop does the rest.
 *
 *   sensor 0..5  D2..D7 (PD2..PD7)     sensor 6, 7  D8, D9 (PB0, PB1)
 *   LED D13: lit while any beam is blocked
 *
 * Inputs have pull-ups: a phototransistor to ground reads low while it is
 * lit, high while it is blocked. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/crc16.h>
#include "node_core.h"

#define PORTD_BEAMS 0xFC
#define PORTB_BEAMS 0x03
#define LED (1 << PB5)
#define PONG_LEAD_US 1000UL

static struct node node;

/*** Time: timer 1 counts half microseconds, its overflows make it long ***/

static volatile uint32_t overflows;

ISR(TIMER1_OVF_vect)
{
    overflows++;
}

/* In interrupts: a call would make each save all the registers, which is
 * later a stamp by 2 us. */
#define INLINE static inline __attribute__((always_inline))

/* With interrupts off. An overflow that is pending has happened. */
INLINE uint8_t
recent_overflows(uint16_t ticks)
{
    uint8_t low = (uint8_t)overflows;
    if ((TIFR1 & (1 << TOV1)) && ticks < 0x8000)
        low++;
    return low;
}

static uint64_t
microseconds(uint32_t over, uint16_t ticks)
{
    return ((uint64_t)over << 16 | ticks) >> 1;
}

static uint64_t
now_us(void)
{
    cli();
    uint16_t ticks = TCNT1;
    uint32_t over = overflows;
    if ((TIFR1 & (1 << TOV1)) && ticks < 0x8000)
        over++;
    sei();
    return microseconds(over, ticks);
}

/* A moment as an interrupt keeps it: good for four seconds round now. */
struct moment {
    uint16_t ticks;
    uint8_t over;
};

static uint64_t
moment_us(struct moment moment, uint64_t now)
{
    uint32_t over = (uint32_t)(now >> 15);
    /* Signed: it may have come just after `now` was read. */
    over += (uint32_t)(int8_t)(moment.over - (uint8_t)over);
    return microseconds(over, moment.ticks);
}

/*** Beams: each change is stamped with the state of all eight ***/

#define CHANGES 32 /* a power of two */

static struct change {
    struct moment at;
    uint8_t pins;
} changes[CHANGES];
static volatile uint8_t change_in, change_out;
static uint8_t seen_pins;
/* Once one is dropped, all are, until the loop has caught up: order is kept. */
static volatile uint16_t dropped;
static struct moment first_dropped, last_dropped;

INLINE uint8_t
read_pins(void)
{
    return (PIND & PORTD_BEAMS) | (PINB & PORTB_BEAMS);
}

/* Bits as they lie in the ports to bits by sensor. */
INLINE uint8_t
by_sensor(uint8_t pins)
{
    return (uint8_t)(pins >> 2 | pins << 6);
}

ISR(PCINT2_vect)
{
    uint16_t ticks = TCNT1;
    /* Cleared before the pins are read: what changes after raises it anew. */
    PCIFR = (1 << PCIF0) | (1 << PCIF2);
    uint8_t pins = read_pins();
    uint8_t changed = pins ^ seen_pins;
    if (!changed)
        return;
    seen_pins = pins;
    uint8_t over = recent_overflows(ticks);
    uint8_t in = change_in, next = (in + 1) & (CHANGES - 1);
    if (!dropped && next != change_out) {
        changes[in].at.ticks = ticks;
        changes[in].at.over = over;
        changes[in].pins = pins;
        change_in = next;
        return;
    }
    if (!dropped) {
        first_dropped.ticks = ticks;
        first_dropped.over = over;
    }
    last_dropped.ticks = ticks;
    last_dropped.over = over;
    changed = by_sensor(changed) & node.use;
    for (; changed; changed &= changed - 1)
        dropped++;
}

ISR(PCINT0_vect, ISR_ALIASOF(PCINT2_vect));

/* Takes what the interrupts queued. After `now` was read: every change up to
 * `now` is then in the ring, which is what a beat says (node-21). */
static void
collect(void)
{
    uint64_t now = now_us();
    while (change_out != change_in) {
        struct change *change = &changes[change_out];
        node_pins(&node, by_sensor(change->pins), moment_us(change->at, now));
        change_out = (change_out + 1) & (CHANGES - 1);
    }
    if (dropped) {
        cli();
        uint16_t count = dropped;
        uint8_t pins = seen_pins;
        struct moment first = first_dropped, last = last_dropped;
        /* One may have been queued between the loop above and here. */
        bool caught_up = change_out == change_in;
        if (caught_up)
            dropped = 0;
        sei();
        if (caught_up) {
            now = now_us();
            node_lost(&node, moment_us(first, now), moment_us(last, now), count);
            node.pins = by_sensor(pins);
            node.level = node.pins ^ node.settings.polarity;
        }
    }
}

/*** UART: 250 000 baud is exact at 16 MHz ***/

#define RECEIVED 64 /* a power of two */

static volatile char received[RECEIVED];
static volatile uint8_t received_in, received_out;
static volatile struct moment newline;
static const char *volatile sending;
static volatile uint8_t to_send;

ISR(USART_RX_vect)
{
    char byte = (char)UDR0;
    uint8_t in = received_in, next = (in + 1) & (RECEIVED - 1);
    if (byte == '\n') {
        uint16_t ticks = TCNT1;
        newline.ticks = ticks;
        newline.over = recent_overflows(ticks);
    }
    /* A full buffer drops the byte: the line's check notices. */
    if (next == received_out)
        return;
    received[in] = byte;
    received_in = next;
}

ISR(USART_UDRE_vect)
{
    UDR0 = (uint8_t)*sending;
    sending++;
    if (!--to_send)
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
}

static void
receive(void)
{
    while (received_out != received_in) {
        char byte = received[received_out];
        received_out = (received_out + 1) & (RECEIVED - 1);
        uint64_t at = 0;
        if (byte == '\n') {
            /* The newest newline's: an earlier line in the same breath is
             * stamped late, which makes its trip long, never wrong. */
            uint64_t now = now_us();
            cli();
            struct moment moment = { newline.ticks, newline.over };
            sei();
            at = moment_us(moment, now);
        }
        node_receive(&node, byte, at);
    }
}

/* Starts the line that is due. Returns false if there is no time to sleep: one
 * is written but not to be started yet, or a ping waits for its answer. */
static bool
send(void)
{
    static bool waiting;
    if (to_send)
        return true;
    if (!waiting) {
        uint64_t now = now_us();
        collect();
        waiting = node_task(&node, now);
        if (!waiting)
            return !node.pong_due;
    }
    if (now_us() < node.line_at)
        return false;
    waiting = false;
    sending = node.text;
    to_send = node.line.length;
    UCSR0B |= 1 << UDRIE0;
    return true;
}

/*** EEPROM: settings with a check, and the number of this boot ***/

struct kept {
    uint8_t version;
    struct settings settings;
    uint8_t check;
};
#define KEPT_VERSION 1
static struct kept EEMEM kept_at;
static uint16_t EEMEM boot_at;

static uint8_t
kept_check(const struct kept *kept)
{
    const uint8_t *byte = (const uint8_t *)kept;
    uint8_t check = 0xA5;
    for (uint8_t at = 0; at < sizeof *kept - 1; at++)
        check = _crc_ibutton_update(check, byte[at]);
    return check;
}

static uint8_t
load_settings(void)
{
    struct kept kept;
    eeprom_read_block(&kept, &kept_at, sizeof kept);
    if (kept.version != KEPT_VERSION || kept.check != kept_check(&kept))
        return 0;
    node.settings = kept.settings;
    return 1;
}

/* A byte each time the EEPROM is ready: no edge waits for it. */
static void
keep_settings(void)
{
    static struct kept kept;
    static uint8_t at = sizeof kept;
    if (node.settings_dirty) {
        node.settings_dirty = 0;
        kept.version = KEPT_VERSION;
        kept.settings = node.settings;
        kept.check = kept_check(&kept);
        at = 0;
    }
    if (at < sizeof kept && eeprom_is_ready()) {
        eeprom_update_byte((uint8_t *)&kept_at + at, ((uint8_t *)&kept)[at]);
        at++;
    }
}

/* The noise of two unconnected inputs and of the memory at power-on. */
static uint32_t
new_id(void)
{
    uint32_t id = 0x811C9DC5;
    const uint8_t *memory = (const uint8_t *)RAMSTART;
    for (uint16_t at = 0; at <= RAMEND - RAMSTART; at++)
        id = (id ^ memory[at]) * 0x01000193;
    ADCSRA = (1 << ADEN) | (1 << ADPS2) | (1 << ADPS0);
    for (uint8_t turn = 0; turn < 128; turn++) {
        ADMUX = (1 << REFS0) | (turn & 1 ? 6 : 7);
        ADCSRA |= 1 << ADSC;
        while (ADCSRA & (1 << ADSC))
            ;
        id = (id ^ ADCL) * 0x01000193;
        id ^= ADCH;
    }
    ADCSRA = 0;
    return id;
}

/*** Watchdog and start ***/

/* Survives a start that is no power-on: why the last one ended. */
static uint8_t reset_cause __attribute__((section(".noinit")));
static uint16_t bitten __attribute__((section(".noinit")));
#define BITTEN 0xD06E

/* Before main: an old bootloader leaves the flags, a new one has cleared
 * them and left the watchdog on. */
void first_things(void) __attribute__((naked, used, section(".init3")));
void
first_things(void)
{
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

/* The first bark starts over from here: an old bootloader would not survive
 * a true watchdog reset (it leaves the dog at 16 ms and never gets to us). If
 * interrupts are off for good the second bark resets the chip all the same. */
ISR(WDT_vect, ISR_NAKED)
{
    bitten = BITTEN;
    __asm__ __volatile__("jmp 0");
}

static const char *
why_reset(void)
{
    bool dog = bitten == BITTEN || reset_cause & (1 << WDRF);
    bitten = 0;
    if (reset_cause & (1 << PORF))
        return FLASH("power");
    if (reset_cause & (1 << BORF))
        return FLASH("brown");
    return dog ? FLASH("dog") : FLASH("line");
}

static void
start_board(void)
{
    cli();
    PORTD = PORTD_BEAMS;
    PORTB = PORTB_BEAMS;
    DDRB = LED;
    /* The timer runs on over a start by the dog; a boot's time begins at 0. */
    TCCR1A = 0;
    TCCR1B = 1 << CS11;
    TCNT1 = 0;
    TIFR1 = 1 << TOV1;
    TIMSK1 = 1 << TOIE1;
    UBRR0 = F_CPU / 8 / BAUD - 1;
    UCSR0A = 1 << U2X0;
    UCSR0C = (1 << UCSZ01) | (1 << UCSZ00);
    UCSR0B = (1 << RXEN0) | (1 << TXEN0) | (1 << RXCIE0);
    /* Ends whatever the last boot or a bootloader left half said (node-5). */
    UDR0 = '\n';
    /* Bark after a second, bite after two. */
    wdt_reset();
    WDTCSR = (1 << WDCE) | (1 << WDE);
    WDTCSR = (1 << WDIE) | (1 << WDE) | (1 << WDP2) | (1 << WDP1);
}

static void
start_node(void)
{
    const char *reset = why_reset();
    node.kept = load_settings();
    if (!node.kept) {
        node.settings = (struct settings){
            .id = new_id(), .polarity = 0, .beams = 0xFF, .stuck_s = 3,
        };
    }
    node.boot = eeprom_read_word(&boot_at) + 1;
    eeprom_update_word(&boot_at, node.boot);
    node.reset = reset;
    node.lead_us = PONG_LEAD_US;
    uint8_t fresh = !node.kept;
    node_start(&node, 0, 0);
    /* A new id is kept even if nobody ever sets anything. */
    node.settings_dirty = fresh;
}

/* Interrupts on: from here on nothing is missed. */
static void
watch_beams(void)
{
    PCMSK2 = PORTD_BEAMS;
    PCMSK0 = PORTB_BEAMS;
    PCIFR = (1 << PCIF0) | (1 << PCIF2);
    PCICR = (1 << PCIE0) | (1 << PCIE2);
    seen_pins = read_pins();
    node.pins = by_sensor(seen_pins);
    node.level = node.pins ^ node.settings.polarity;
    sei();
}

/* Until the next interrupt; the timer's comes every 33 ms. */
static void
nap(void)
{
    cli();
    if (change_in == change_out && !dropped && received_in == received_out) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

int
main(void)
{
    start_board();
    start_node();
    watch_beams();
    set_sleep_mode(SLEEP_MODE_IDLE);
    for (;;) {
        wdt_reset();
        receive();
        collect();
        bool may_sleep = send();
        keep_settings();
        if (node.level & node.use)
            PORTB |= LED;
        else
            PORTB &= (uint8_t)~LED;
        if (may_sleep)
            nap();
    }
}
