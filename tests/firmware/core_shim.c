/* The node's core behind functions that ctypes can call. */
#include "node_core.h"
#include <stdlib.h>

struct node *
shim_new(uint32_t id, uint8_t polarity, uint8_t beams, uint8_t stuck_s,
         uint8_t kept, uint16_t boot, uint8_t pins, uint64_t us)
{
    struct node *node = calloc(1, sizeof *node);
    node->settings = (struct settings){ id, polarity, beams, 0, stuck_s };
    node->kept = kept;
    node->boot = boot;
    node->reset = "power";
    node_start(node, pins, us);
    return node;
}

void
shim_receive(struct node *node, const char *bytes, unsigned count, uint64_t us)
{
    while (count--)
        node_receive(node, *bytes++, us);
}

unsigned
shim_task(struct node *node, uint64_t us, char *out)
{
    if (!node_task(node, us))
        return 0;
    for (unsigned at = 0; at < node->line.length; at++)
        out[at] = node->text[at];
    return node->line.length;
}

unsigned
shim_used(const struct node *node)
{
    return node->used;
}
