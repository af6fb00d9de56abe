#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Bits from the lowest on. Behind the end come zeros, and `wa_is_past_end` tells.
typedef struct {
    const uint8_t *bytes;
    size_t count, position;
    uint64_t bits;
    unsigned available;
} wa_reader;

/// At least 56 bits are there afterwards.
static inline void wa_refill(wa_reader *reader) {
    if (reader->position + 8 <= reader->count) {
        uint64_t more;
        memcpy(&more, reader->bytes + reader->position, 8);
        reader->bits |= more << reader->available;
        const unsigned taken = (63 - reader->available) >> 3;
        reader->position += taken;
        reader->available += taken * 8;
        return;
    }
    while (reader->available <= 56) {
        if (reader->position < reader->count) {
            reader->bits |= (uint64_t)reader->bytes[reader->position] << reader->available;
        }
        reader->position++;
        reader->available += 8;
    }
}

static inline void wa_skip(wa_reader *reader, unsigned count) {
    reader->bits >>= count;
    reader->available -= count;
}

/// Without looking whether they are there: at most 56 since the last refill.
static inline unsigned wa_take(wa_reader *reader, unsigned count) {
    const unsigned value = (unsigned)(reader->bits & (((uint64_t)1 << count) - 1));
    wa_skip(reader, count);
    return value;
}

static inline unsigned wa_bits(wa_reader *reader, unsigned count) {
    wa_refill(reader);
    return wa_take(reader, count);
}

static inline int wa_is_past_end(const wa_reader *reader) {
    return reader->position * 8 - reader->available > reader->count * 8;
}
