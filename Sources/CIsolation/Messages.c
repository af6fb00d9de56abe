#define _GNU_SOURCE
#include "include/CIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DESCRIPTOR_LIMIT = 2, SOCKET_BUFFER = 1 << 18 };

int tt_socket_pair(int sockets[2]) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return errno;
    int size = SOCKET_BUFFER;
    for (int end = 0; end < 2; end++) setsockopt(sockets[end], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    return 0;
}

int tt_send_message(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    struct iovec piece = {(void *)bytes, count};
    char control[CMSG_SPACE(DESCRIPTOR_LIMIT * sizeof(int))] = {0};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (descriptor_count > DESCRIPTOR_LIMIT) return EINVAL;
    if (descriptor_count > 0) {
        size_t size = (size_t)descriptor_count * sizeof(int);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return errno;
    return (size_t)sent == count ? 0 : EMSGSIZE;
}

ssize_t tt_receive_message(int socket, void *bytes, size_t count, int *descriptors, int capacity, int *descriptor_count) {
    struct iovec piece = {bytes, count};
    char control[CMSG_SPACE(DESCRIPTOR_LIMIT * sizeof(int))] = {0};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    *descriptor_count = 0;
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < found; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof descriptor, sizeof descriptor);
            if (*descriptor_count < capacity) {
                descriptors[(*descriptor_count)++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        for (int index = 0; index < *descriptor_count; index++) close(descriptors[index]);
        *descriptor_count = 0;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

bool tt_is_quiet(int socket) {
    struct pollfd entry = {.fd = socket, .events = POLLIN};
    return poll(&entry, 1, 0) == 0;
}

static int memory_file(size_t count) {
    int file = memfd_create("tintype-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)count) != 0) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

static int close_after_error(int file, int error) {
    close(file);
    errno = error;
    return -1;
}

int tt_shared_memory(size_t count) {
    int file = memory_file(count);
    if (file < 0) return -1;
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) return close_after_error(file, errno);
    return file;
}

int tt_sealed_copy(const void *bytes, size_t count) {
    int file = memory_file(count);
    if (file < 0) return -1;
    const char *rest = bytes;
    off_t offset = 0;
    while ((size_t)offset < count) {
        ssize_t written = pwrite(file, rest + offset, count - (size_t)offset, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return close_after_error(file, written < 0 ? errno : ENOSPC);
        offset += written;
    }
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    if (fcntl(file, F_ADD_SEALS, seals) != 0) return close_after_error(file, errno);
    return file;
}

int tt_make_unchangeable(int descriptor) { return fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE) == 0 ? 0 : errno; }
