#define _GNU_SOURCE
#include "CSystemShim.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

void ct_set_thread_name(const char *name) {
#if defined(__APPLE__)
    pthread_setname_np(name);
#else
    pthread_setname_np(pthread_self(), name);
#endif
}

int ct_error_text(int number, char *buffer, size_t size) {
#if defined(__GLIBC__)
    const char *text = strerror_r(number, buffer, size);
    if (text != buffer) {
        strncpy(buffer, text, size - 1);
        buffer[size - 1] = 0;
    }
    return 0;
#else
    return strerror_r(number, buffer, size);
#endif
}

int ct_touch_access_time(int file) {
    struct timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    return futimens(file, times);
}

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static int fill(int result, const struct stat *from, struct ct_file_status *status) {
    if (result != 0) { return result; }
    status->size = from->st_size;
    status->blocks = from->st_blocks;
#if defined(__APPLE__)
    status->modified = nanoseconds(from->st_mtimespec);
    status->accessed = nanoseconds(from->st_atimespec);
#else
    status->modified = nanoseconds(from->st_mtim);
    status->accessed = nanoseconds(from->st_atim);
#endif
    status->device = (uint64_t)from->st_dev;
    status->inode = (uint64_t)from->st_ino;
    status->links = (uint64_t)from->st_nlink;
    status->owner = (uint32_t)from->st_uid;
    status->permissions = (uint32_t)from->st_mode & 07777;
    status->is_regular = S_ISREG(from->st_mode);
    status->is_directory = S_ISDIR(from->st_mode);
    status->is_link = S_ISLNK(from->st_mode);
    return 0;
}

int ct_fstat(int file, struct ct_file_status *status) {
    struct stat from;
    return fill(fstat(file, &from), &from, status);
}

int ct_fstatat(int directory, const char *name, struct ct_file_status *status) {
    struct stat from;
    return fill(fstatat(directory, name, &from, AT_SYMLINK_NOFOLLOW), &from, status);
}

const void *ct_map_file(int file, size_t count) {
    int flags = MAP_PRIVATE;
#if defined(MAP_POPULATE)
    flags |= MAP_POPULATE;
#endif
    void *base = mmap(NULL, count, PROT_READ, flags, file, 0);
    return base == MAP_FAILED ? NULL : base;
}

int ct_stat(const char *path, struct ct_file_status *status) {
    struct stat from;
    return fill(stat(path, &from), &from, status);
}

ptrdiff_t ct_read(int file, void *bytes, size_t count) { return read(file, bytes, count); }

ptrdiff_t ct_write_two(int file, const void *first, size_t firstCount, const void *second, size_t secondCount) {
    struct iovec pieces[2] = {{(void *)first, firstCount}, {(void *)second, secondCount}};
    return writev(file, pieces, 2);
}

int ct_touch_access_time_at(int directory, const char *name) {
    struct timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    return utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW);
}
