/* Runs the pocket node's .hex under simavr: its UART on a pty, its pins by
 * command, in the chip's own time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later   (it links libsimavr, which is)
 *
 *   harness HEX [CLOCKFILE]
 *
 * Writes `pty NAME` first. Then, on standard input, one command a line:
 *   pin US SENSOR LEVEL   sets an input at that time (µs since the start)
 *   until US [N]          runs to that time, answers `at US SENT`: how many bytes
 *                         went out on this pty so far. Waits first, for some
 *                         seconds of the machine's, until N bytes came in
 *   faults PPM SEED       damages, loses or doubles bytes, both ways
 *   reset                 pulls the reset line; `hang` stops the program
 *   unplug, plug          takes the pty away, brings a new one: `pty NAME`
 *   stat                  answers `stat cycles=… ram=… lost_bytes=…`
 * Ends when its input does. CLOCKFILE, if named, always holds the time in ns
 * as one little-endian int64, for whoever is to live on the chip's clock.
 *
 * What it does not show: an error of the baud rate, the resonator's drift,
 * noise on the wires, the bootloader, the modem lines. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "avr_ioport.h"
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_core.h"
#include "sim_hex.h"
#include "sim_interrupts.h"

#define CYCLES_PER_US 16
#define POLL_US 200
#define KEPT_BYTES (1 << 16)
#define SENSORS 8
#define RAM_START 0x100
#define RAM_END 0x8FF
#define PAINT 0xA7
/* INT0 and INT1 share D2 and D3 with beams and are not used. In their default
 * mode the library looks at a low pin in every cycle: a fifth of the speed. */
#define EICRA_AT 0x69
#define EICRA_ANY_EDGE 0x05

struct pin_event {
    uint64_t cycle;
    uint8_t sensor, level;
};

static const struct {
    char port;
    uint8_t bit;
} wiring[SENSORS] = {
    { 'D', 2 }, { 'D', 3 }, { 'D', 4 }, { 'D', 5 }, { 'D', 6 },
    { 'D', 7 }, { 'B', 0 }, { 'B', 1 },
};

static avr_t *avr;
static avr_irq_t *pins[SENSORS], *uart_in;
static uint8_t levels[SENSORS];
static struct pin_event *events;
static size_t event_first, event_count, event_room;
static uint64_t cycle_base; /* cycles before the last reset */
static bool reached;
static uint64_t goal;
static int master = -1, slave = -1;
static bool may_send;
static uint8_t outgoing[KEPT_BYTES];
static size_t outgoing_first, outgoing_count, lost_bytes;
static uint32_t fault_ppm, fault_state = 1;
static int64_t *clock_ns;
static uint64_t cycle_seen;
#define PATIENCE_US 5000000
static uint8_t incoming[KEPT_BYTES];
static size_t incoming_first, incoming_count, came_in, went_out;

/*** Time ***/

/* A reset may set simavr's own count back; the chip's life goes on. */
static uint64_t
cycle_now(void)
{
    return cycle_base + avr->cycle;
}

static void
tell_clock(void)
{
    if (clock_ns)
        __atomic_store_n(clock_ns, (int64_t)(cycle_now() * 125 / 2),
                         __ATOMIC_RELEASE);
}

/*** Faults ***/

static uint32_t
chance(uint32_t below)
{
    fault_state = fault_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)fault_state * below) >> 32);
}

/* How many bytes stand for this one, which it may change. */
static int
disturb(uint8_t *byte)
{
    if (!fault_ppm || chance(1000000) >= fault_ppm)
        return 1;
    switch (chance(3)) {
    case 0:
        *byte ^= (uint8_t)(1 << chance(8));
        return 1;
    case 1:
        return 0;
    default:
        return 2;
    }
}

/*** The pty ***/

static int spare_master = -1, spare_slave = -1;

static void
make_pty(int *new_master, int *new_slave)
{
    struct termios raw;
    if (openpty(new_master, new_slave, NULL, NULL, NULL)) {
        perror("openpty");
        exit(2);
    }
    tcgetattr(*new_slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(*new_slave, TCSANOW, &raw);
    fcntl(*new_master, F_SETFL, O_NONBLOCK);
}

static void
open_pty(void)
{
    if (spare_master < 0)
        make_pty(&spare_master, &spare_slave);
    master = spare_master;
    slave = spare_slave;
    spare_master = spare_slave = -1;
    outgoing_count = incoming_count = came_in = went_out = 0;
    printf("pty %s\n", ptsname(master));
    fflush(stdout);
}

/* The next one is made before this one goes: its name is another. */
static void
close_pty(void)
{
    if (master < 0)
        return;
    make_pty(&spare_master, &spare_slave);
    close(slave);
    close(master);
    master = slave = -1;
}

static void
flush_pty(void)
{
    while (outgoing_count && master >= 0) {
        size_t part = outgoing_count;
        if (outgoing_first + part > KEPT_BYTES)
            part = KEPT_BYTES - outgoing_first;
        ssize_t written = write(master, outgoing + outgoing_first, part);
        if (written <= 0)
            return;
        went_out += (size_t)written;
        outgoing_first = (outgoing_first + (size_t)written) % KEPT_BYTES;
        outgoing_count -= (size_t)written;
    }
}

static void
put_byte(uint8_t byte)
{
    if (master < 0 || outgoing_count == KEPT_BYTES) {
        lost_bytes++;
        return;
    }
    outgoing[(outgoing_first + outgoing_count++) % KEPT_BYTES] = byte;
}

static void
on_output(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    uint8_t byte = (uint8_t)value;
    for (int times = disturb(&byte); times > 0; times--)
        put_byte(byte);
}

static void
on_xon(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value, (void)param;
    may_send = true;
}

static void
on_xoff(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)value, (void)param;
    may_send = false;
}

static void
pull(void)
{
    uint8_t byte;
    while (master >= 0 && incoming_count < KEPT_BYTES
           && read(master, &byte, 1) == 1) {
        incoming[(incoming_first + incoming_count++) % KEPT_BYTES] = byte;
        came_in++;
    }
}

static void
feed_uart(void)
{
    pull();
    while (may_send && incoming_count) {
        uint8_t byte = incoming[incoming_first];
        incoming_first = (incoming_first + 1) % KEPT_BYTES;
        incoming_count--;
        for (int times = disturb(&byte); times > 0; times--)
            avr_raise_irq(uart_in, byte);
    }
}

/* A pty hands bytes on when the kernel finds time. Whoever counts what it
 * wrote has a run that does not hang on how busy the machine is. */
static void
wait_for(size_t bytes)
{
    struct timespec moment = { 0, 50000 };
    for (uint64_t us = 0; us < PATIENCE_US && master >= 0; us += 50) {
        pull();
        if (came_in >= bytes)
            return;
        nanosleep(&moment, NULL);
    }
}

/*** Timers of the simulated chip: it sleeps to the next one, never past it ***/

static avr_cycle_count_t
on_poll(avr_t *chip, avr_cycle_count_t when, void *param)
{
    (void)chip, (void)param;
    feed_uart();
    flush_pty();
    tell_clock();
    return when + POLL_US * CYCLES_PER_US;
}

static avr_cycle_count_t
on_goal(avr_t *chip, avr_cycle_count_t when, void *param)
{
    (void)chip, (void)when, (void)param;
    reached = true;
    return 0;
}

/* Drives an input as a wire does: whatever pull-up the program switches on,
 * now or later, this is what it reads. */
static void
drive(int sensor)
{
    avr_ioport_external_t external = { .name = (unsigned)wiring[sensor].port };
    for (int other = 0; other < SENSORS; other++)
        if (wiring[other].port == wiring[sensor].port) {
            external.mask |= 1u << wiring[other].bit;
            external.value |= (unsigned)levels[other] << wiring[other].bit;
        }
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(wiring[sensor].port),
              &external);
    avr_raise_irq(pins[sensor], levels[sensor]);
}

static avr_cycle_count_t
on_pin(avr_t *chip, avr_cycle_count_t when, void *param)
{
    (void)chip, (void)when, (void)param;
    while (event_count && events[event_first].cycle <= cycle_now()) {
        struct pin_event *event = &events[event_first++];
        event_count--;
        levels[event->sensor] = event->level;
        drive(event->sensor);
    }
    if (!event_count) {
        event_first = 0;
        return 0;
    }
    return events[event_first].cycle - cycle_base;
}

static void
arm(avr_cycle_timer_t timer, uint64_t cycle)
{
    uint64_t now = cycle_now();
    avr_cycle_timer_cancel(avr, timer, NULL);
    avr_cycle_timer_register(avr, cycle > now ? cycle - now : 1, timer, NULL);
}

static void
arm_all(void)
{
    arm(on_poll, cycle_now() + POLL_US * CYCLES_PER_US);
    if (event_count)
        arm(on_pin, events[event_first].cycle);
    if (goal)
        arm(on_goal, goal);
}

/* The library forgets timers, pins and time with each reset, its own included. */
static void
after_reset(void)
{
    cycle_base += cycle_seen - avr->cycle;
    cycle_seen = avr->cycle;
    may_send = true;
    avr->data[EICRA_AT] = EICRA_ANY_EDGE;
    for (int sensor = 0; sensor < SENSORS; sensor++) {
        /* The wire kept its level, which passes for no news; the register
         * did not. */
        avr_raise_irq(pins[sensor], !levels[sensor]);
        drive(sensor);
    }
    arm_all();
}

/* The library's own step, but for one thing: a chip that sleeps wakes for an
 * interrupt that a timer has just raised, not at the timer after it. */
static void
step(avr_t *chip)
{
    avr_flashaddr_t next = chip->pc;
    if (chip->state == cpu_Running)
        next = avr_run_one(chip);
    avr_cycle_count_t idle = avr_cycle_timer_process(chip);
    chip->pc = next;
    if (chip->state == cpu_Sleeping) {
        if (!chip->sreg[S_I]) {
            chip->state = cpu_Done;
            return;
        }
        if (!reached && !avr_has_pending_interrupts(chip))
            chip->cycle += 1 + idle;
    }
    if (chip->state == cpu_Running || chip->state == cpu_Sleeping)
        avr_service_interrupts(chip);
}

/*** Commands ***/

static void
add_event(uint64_t us, unsigned sensor, unsigned level)
{
    if (event_first + event_count == event_room) {
        memmove(events, events + event_first, event_count * sizeof *events);
        event_first = 0;
        if (event_count == event_room) {
            event_room = event_room ? 2 * event_room : 1024;
            events = realloc(events, event_room * sizeof *events);
        }
    }
    size_t at = event_first + event_count++;
    uint64_t cycle = us * CYCLES_PER_US;
    for (; at > event_first && events[at - 1].cycle > cycle; at--)
        events[at] = events[at - 1];
    events[at] = (struct pin_event){ cycle, (uint8_t)sensor, (uint8_t)level };
    if (at == event_first)
        arm(on_pin, cycle);
}

static bool
run_until(uint64_t us)
{
    goal = us * CYCLES_PER_US;
    reached = goal <= cycle_now();
    if (!reached)
        arm(on_goal, goal);
    while (!reached) {
        int state = avr_run(avr);
        if (avr->cycle < cycle_seen)
            after_reset();
        cycle_seen = avr->cycle;
        if (state == cpu_Done || state == cpu_Crashed) {
            printf("crashed at %llu\n", (unsigned long long)cycle_now());
            return false;
        }
    }
    goal = 0;
    flush_pty();
    tell_clock();
    printf("at %llu %zu\n", (unsigned long long)(cycle_now() / CYCLES_PER_US),
           went_out);
    fflush(stdout);
    return true;
}

/* Lets the program spin where it stands until it is started anew. */
static void
hang(void)
{
    static uint16_t *stopped_at, was;
    if (stopped_at) {
        *stopped_at = was;
        stopped_at = NULL;
        return;
    }
    stopped_at = (uint16_t *)(avr->flash + avr->pc);
    was = *stopped_at;
    *stopped_at = 0xCFFF; /* rjmp to itself */
}

static unsigned
ram_used(void)
{
    unsigned longest = 0, run = 0;
    for (unsigned at = RAM_START; at <= RAM_END; at++) {
        run = avr->data[at] == PAINT ? run + 1 : 0;
        if (run > longest)
            longest = run;
    }
    return RAM_END + 1 - RAM_START - longest;
}

static bool
obey(char *command)
{
    unsigned long long us, bytes = 0;
    unsigned sensor, level, seed;
    if (sscanf(command, "pin %llu %u %u", &us, &sensor, &level) == 3) {
        if (sensor < SENSORS)
            add_event(us, sensor, level != 0);
    } else if (sscanf(command, "until %llu %llu", &us, &bytes) >= 1) {
        wait_for(bytes);
        return run_until(us);
    } else if (sscanf(command, "faults %u %u", &level, &seed) == 2) {
        fault_ppm = level;
        fault_state = seed;
    } else if (!strcmp(command, "reset")) {
        avr_reset(avr);
        after_reset();
    } else if (!strcmp(command, "hang")) {
        hang();
    } else if (!strcmp(command, "unplug")) {
        close_pty();
    } else if (!strcmp(command, "plug")) {
        close_pty();
        open_pty();
    } else if (!strcmp(command, "stat")) {
        printf("stat cycles=%llu ram=%u lost_bytes=%zu\n",
               (unsigned long long)cycle_now(), ram_used(), lost_bytes);
        fflush(stdout);
    } else {
        printf("unknown %s\n", command);
        fflush(stdout);
    }
    return true;
}

static void
load(const char *hex)
{
    uint32_t size = 0, start = 0;
    uint8_t *code = read_ihex_file(hex, &size, &start);
    if (!code || !size) {
        fprintf(stderr, "%s cannot be read\n", hex);
        exit(2);
    }
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    avr->frequency = CYCLES_PER_US * 1000000;
    avr->run = step;
    avr->log = LOG_ERROR;
    avr_loadcode(avr, code, size, start);
    avr->codeend = start + size;
    avr->pc = avr->reset_pc = start;
    memset(avr->data + RAM_START, PAINT, RAM_END + 1 - RAM_START);
}

static void
connect(void)
{
    uint32_t flags = 0;
    avr->data[EICRA_AT] = EICRA_ANY_EDGE;
    for (int sensor = 0; sensor < SENSORS; sensor++) {
        pins[sensor] = avr_io_getirq(
            avr, AVR_IOCTL_IOPORT_GETIRQ(wiring[sensor].port),
            wiring[sensor].bit);
        drive(sensor);
    }
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(
        avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
        on_output, NULL);
    avr_irq_register_notify(
        avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON),
        on_xon, NULL);
    avr_irq_register_notify(
        avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF),
        on_xoff, NULL);
    may_send = true;
    arm_all();
}

int
main(int argc, char **argv)
{
    char command[128];
    if (argc < 2) {
        fprintf(stderr, "usage: harness HEX [CLOCKFILE]\n");
        return 2;
    }
    if (argc > 2) {
        int file = open(argv[2], O_RDWR | O_CREAT, 0600);
        if (file < 0 || ftruncate(file, 8)) {
            perror(argv[2]);
            return 2;
        }
        clock_ns = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    load(argv[1]);
    open_pty();
    connect();
    while (fgets(command, sizeof command, stdin)) {
        command[strcspn(command, "\n")] = 0;
        if (!obey(command))
            return 1;
    }
    return 0;
}
