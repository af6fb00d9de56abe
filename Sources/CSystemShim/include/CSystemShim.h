#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/xattr.h>

// System calls that the Glibc module map leaves out. Names start with `ct_`.

/// Names the calling thread for debuggers; at most 15 bytes count on Linux.
void ct_set_thread_name(const char *name);

/// The thread-safe text of an `errno`; 0 on success.
int ct_error_text(int number, char *buffer, size_t size);

/// Marks an open file as used now (access time) and leaves its modification time alone.
int ct_touch_access_time(int file);

/// The same for a file by name; does not follow a link.
int ct_touch_access_time_at(int directory, const char *name);

/// Sizes of a file, from `fstat`. Times are nanoseconds since 1970.
struct ct_file_status {
    int64_t size;
    int64_t blocks; // of 512 bytes
    int64_t modified;
    int64_t accessed;
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    uint32_t owner;
    uint32_t permissions; // the lower 12 bits of the mode
    int is_regular;
    int is_directory;
    int is_link;
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
