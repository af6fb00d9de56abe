#include "CSystemShim.h"

#include <string.h>

// Loops over keys and names of the caches: hits are little more than these.

static inline uint64_t word(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

static inline uint64_t mix(uint64_t first, uint64_t second) {
    unsigned __int128 product = (unsigned __int128)(first ^ 0xa0761d6478bd642f) * (second ^ 0xe7037ed1a0b428db);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

uint64_t ct_ascii_hash(const void *pointer, size_t count, uint64_t seed) {
    const unsigned char *bytes = pointer;
    uint64_t state = seed ^ count, seen = 0, first, second;
    if (count > 16) {
        // Two chains, so that the multiplications of one run while those of the other do.
        uint64_t other = ~state;
        size_t offset = 0;
        for (; offset + 32 <= count; offset += 32) {
            uint64_t third = word(bytes + offset + 16), fourth = word(bytes + offset + 24);
            first = word(bytes + offset), second = word(bytes + offset + 8);
            seen |= first | second | third | fourth;
            state = mix(first ^ state, second);
            other = mix(third ^ other, fourth);
        }
        if (offset + 16 < count) {
            first = word(bytes + offset), second = word(bytes + offset + 8);
            seen |= first | second;
            other = mix(first ^ other, second);
        }
        // The last 16 bytes, overlapping, instead of a loop over what is left.
        first = word(bytes + count - 16), second = word(bytes + count - 8);
        state ^= other << 32 | other >> 32;
    } else if (count >= 8) {
        first = word(bytes), second = word(bytes + count - 8);
    } else {
        first = second = 0;
        for (size_t index = 0; index < count; index++) { first |= (uint64_t)bytes[index] << (index * 8); }
    }
    seen |= first | second;
    if (seen & 0x8080808080808080) { return 0; }
    uint64_t hash = mix(mix(first ^ state, second) ^ 0x8ebc6af09c88c6e3, 0x589965cc75374cc3);
    return hash == 0 ? 1 : hash;
}

bool ct_have_equal_bytes(const void *first, const void *second, size_t count) {
    if (count < 16) { return count == 0 || memcmp(first, second, count) == 0; }
    const unsigned char *one = first, *two = second;
    uint64_t difference = 0;
    for (size_t offset = 0; offset + 16 <= count; offset += 16) {
        difference |= word(one + offset) ^ word(two + offset);
        difference |= word(one + offset + 8) ^ word(two + offset + 8);
    }
    difference |= word(one + count - 16) ^ word(two + count - 16);
    difference |= word(one + count - 8) ^ word(two + count - 8);
    return difference == 0;
}

void ct_write_hexadecimal(uint32_t number, char *digits) {
    // A digit in each byte, then all eight become characters at once: the carry of +6 tells letters from figures.
    uint64_t bytes = number;
    bytes = (bytes << 16 | bytes) & 0x0000ffff0000ffff;
    bytes = (bytes << 8 | bytes) & 0x00ff00ff00ff00ff;
    bytes = (bytes << 4 | bytes) & 0x0f0f0f0f0f0f0f0f;
    uint64_t letters = ((bytes + 0x0606060606060606) >> 4) & 0x0101010101010101;
    bytes += 0x3030303030303030 + letters * ('a' - '0' - 10);
    for (int index = 0; index < 8; index++) { digits[index] = (char)(bytes >> (56 - 8 * index)); }
}

bool ct_keep_key(unsigned char *area, const void *bytes, size_t count) {
    area[0] = 0;
    if (count == 0 || count > CT_KEPT_KEY_LIMIT) { return false; }
    const unsigned char *text = bytes;
    unsigned char *to = area + 1;
    uint64_t seen = 0, piece;
    size_t offset = 0;
    for (; offset + 8 <= count; offset += 8) {
        piece = word(text + offset);
        memcpy(to + offset, &piece, 8);
        seen |= piece;
    }
    for (; offset < count; offset++) {
        to[offset] = text[offset];
        seen |= text[offset];
    }
    if (seen & 0x8080808080808080) { return false; }
    area[0] = (unsigned char)count;
    return true;
}

bool ct_is_kept_key(const unsigned char *area, const void *bytes, size_t count) {
    return area[0] == count && count != 0 && ct_have_equal_bytes(area + 1, bytes, count);
}
