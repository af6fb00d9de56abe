#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// System calls that the Glibc module map leaves out. Names start with `ct_`.

/// Names the calling thread for debuggers; at most 15 bytes count on Linux.
void ct_set_thread_name(const char *name);

/// A lock for sections shorter than a system call: spins for a moment before it sleeps, and costs a third of a
/// pthread mutex where nobody else wants it. All zeros is free. Not recursive.
struct ct_short_lock {
    uint32_t state;
};
void ct_take_lock(struct ct_short_lock *lock);
void ct_leave_lock(struct ct_short_lock *lock);

/// The thread-safe text of an `errno`; 0 on success.
int ct_error_text(int number, char *buffer, size_t size);

/// Marks an open file as used now (access time) and leaves its modification time alone.
int ct_touch_access_time(int file);

/// Sizes of a file, from `fstat`. Times are nanoseconds since 1970.
struct ct_file_status {
    int64_t size;
    int64_t blocks; // of 512 bytes
    int64_t modified;
    int64_t accessed;
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    int is_regular;
    int is_directory;
};
int ct_fstat(int file, struct ct_file_status *status);
/// Does not follow a link in the last component.
int ct_fstatat(int directory, const char *name, struct ct_file_status *status);

/// Maps a whole file for reading, its pages already present; NULL with `errno` on failure.
const void *ct_map_file(int file, size_t count);

/// Follows links, unlike `ct_fstatat`.
int ct_stat(const char *path, struct ct_file_status *status);

/// `read` and `writev` of two pieces, as Swift sees them: counts are signed, errors are -1 with `errno`.
ptrdiff_t ct_read(int file, void *bytes, size_t count);
ptrdiff_t ct_write_two(int file, const void *first, size_t firstCount, const void *second, size_t secondCount);

/// A fast hash of bytes that are all ASCII, different for each seed; 0 when one of them is not ASCII.
/// Pure, and said to be: else Swift would retain and release each string around the call.
__attribute__((pure)) uint64_t ct_ascii_hash(const void *bytes, size_t count, uint64_t seed);

/// Whether two runs of bytes are the same.
__attribute__((pure)) bool ct_have_equal_bytes(const void *first, const void *second, size_t count);

/// A key of ASCII in an area of `CT_KEPT_KEY_AREA` bytes: its length and the bytes. The length 0 stands for a key that
/// is not there, because it is empty, too long or not all ASCII; then `ct_keep_key` returns false.
enum { CT_KEPT_KEY_AREA = 128, CT_KEPT_KEY_LIMIT = 127 };
bool ct_keep_key(unsigned char *area, const void *bytes, size_t count);
__attribute__((pure)) bool ct_is_kept_key(const unsigned char *area, const void *bytes, size_t count);

/// Writes the 8 lower-case hexadecimal digits of a number.
void ct_write_hexadecimal(uint32_t number, char *digits);

/// Asks for big pages behind a long run of memory where the system has them: fewer misses of address translation.
void ct_prefer_huge_pages(void *address, size_t count);

/// Asks for the cache line of an address that is going to be read soon. Any address will do, valid or not.
static inline void ct_prefetch(const void *address) { __builtin_prefetch(address); }

/// The same for a file by name; does not follow a link.
int ct_touch_access_time_at(int directory, const char *name);
