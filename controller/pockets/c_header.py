"""Writes the firmware's `messages.h` from the table of messages: `python -m controller.pockets.c_header > messages.h`.

Knows how the firmware's line writer and reader are called (`line.h`), nothing of what a message means.
"""

from __future__ import annotations

from controller.pockets import messages
from controller.pockets.messages import DICT, MESSAGES, Field, Kind

_CONSTANTS = (
    "PROTO", "BAUD", "BEAMS", "RING", "MAX_NODE_LINE", "MAX_HOST_LINE", "HOST_FIELDS", "BEAT_US", "RESEND_US",
    "RESEND_MAX_US", "NOISE_US", "DITHER", "GAP_SLOTS", "GAP_CLEAR",
)  # fmt: skip
_C_TYPE: dict[Kind, str] = {
    "dec": "uint64_t",
    "num": "uint32_t",
    "hex2": "uint8_t",
    "hex4": "uint16_t",
    "hex8": "uint32_t",
    "bits": "uint8_t",
    "bytes8": "const uint8_t *",
    "word": "const char *",
}
_SHORT: dict[Kind, str] = {"num": "d", "hex2": "2", "hex4": "4", "hex8": "8", "word": "w"}
"""One letter a kind in the table that the firmware's reader walks."""


def c_header() -> str:
    """Returns the whole header."""
    parts = [
        "/* Written by controller/pockets/c_header.py from controller/pockets/messages.py. Change it there. */",
        "#ifndef MESSAGES_H",
        "#define MESSAGES_H",
        '#include "line.h"',
        "",
        *(f"#define {name} {getattr(messages, name)}UL" for name in _CONSTANTS),
        f"#define DICT 0x{DICT}",
        "",
        *(_writer(message.name, message.fields) for message in MESSAGES if message.sender == "node"),
        _reader(),
        "#endif",
    ]
    return "\n".join(parts) + "\n"


def _parameter(field: Field) -> str:
    kind = _C_TYPE[field.kind]
    return f"{kind}{'' if kind.endswith('*') else ' '}{field.name}_"


def _writer(name: str, fields: tuple[Field, ...]) -> str:
    needed = [field for field in fields if not field.optional]
    parameters = "".join(f", {_parameter(field)}" for field in needed)
    body = [f'    line_begin(line, FLASH("{name}"));']
    for field in needed:
        digits = f", {field.kind[3:]}" if field.kind.startswith("hex") else ""
        how = "hex" if digits else field.kind
        body.append(f'    line_{how}(line, FLASH("{field.name}"), {field.name}_{digits});')
    body.append("    line_end(line);")
    signature = f"static inline void\nwrite_{name}(struct line *line{parameters})"
    return "\n".join([signature, "{", *body, "}", ""])


def _reader() -> str:
    hosts = [message for message in MESSAGES if message.sender == "host"]
    lines = ["enum host_message {"]
    lines += [f"    HOST_{message.name.upper()}," for message in hosts]
    lines += ["    HOST_MESSAGES", "};", ""]
    for message in hosts:
        lines += [
            f"#define {message.name.upper()}_{field.name.upper()} {place}" for place, field in enumerate(message.fields)
        ]
    lines += ["", "/* name, then for each field its kind, whether it must be there, its key */"]
    lines.append("static const char host_table[] FLASHED =")
    for message in hosts:
        fields = "".join(
            f" {_SHORT[field.kind]}{'?' if field.optional else '!'}{field.name}" for field in message.fields
        )
        lines.append(f'    "{message.name}{fields};"')
    return "\n".join(lines) + ";\n"


if __name__ == "__main__":
    print(c_header(), end="")
