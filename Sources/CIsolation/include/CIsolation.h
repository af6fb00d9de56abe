#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// System calls of the decode workers that Swift cannot make: spawning with file actions, control messages, seals,
// landlock and seccomp. Nothing here looks at the bytes of an image.

/// The descriptor at which a worker finds its socket.
enum { TT_WORKER_SOCKET = 3 };

/// Whether this process was started as a worker: the marker is in the environment, descriptor 3 is a socket whose other
/// end belongs to the parent process, and the program is not setuid. `marker` is the value that must be set.
bool tt_worker_is_requested(const char *marker);

/// Starts `path` as a worker that finds `socket` at descriptor 3, with no other descriptor but standard error.
///
/// - Returns: 0 with the process id and a descriptor of the process (-1 where the kernel has none), else an errno.
int tt_worker_spawn(const char *path, int socket, const char *marker, pid_t *process, int *process_descriptor);

/// Kills a worker. By its descriptor, so that a process id which was used again is never hit.
void tt_worker_kill(pid_t process, int process_descriptor);

/// Waits for the end of a worker that was killed or has exited.
///
/// - Returns: the signal that ended it, 0 if it exited, -1 if another part of the program has waited for it already,
///   `TT_WORKER_OUT_OF_MEMORY` if it found at its crash that its memory was used up.
enum { TT_WORKER_OUT_OF_MEMORY = 1000 };
int tt_worker_wait(pid_t process);

// Parts of the sandbox that this kernel or container does not offer.
enum {
    TT_SANDBOX_NO_LANDLOCK = 1,
    TT_SANDBOX_NO_SECCOMP = 2,
    TT_SANDBOX_NO_NEW_PRIVILEGES = 4,
    TT_SANDBOX_NO_LIMITS = 8,
};

/// Gives up, for good, everything that decoding does not need.
///
/// - Parameter memory: bytes of address space that may be added to what is mapped now.
/// - Returns: the parts that are missing.
unsigned tt_sandbox_enter(uint64_t memory);

/// A connected pair of sockets that keep the bounds of messages and are closed on exec. 0, or an errno.
int tt_socket_pair(int sockets[2]);

/// Sends one message with up to two descriptors. Never blocks, never raises SIGPIPE. 0, or an errno: EAGAIN if the other
/// process does not read.
int tt_send_message(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);

/// Receives one message. Descriptors beyond `capacity` of `descriptors` are closed.
///
/// - Returns: the number of bytes, 0 at the end, -1 with errno (EMSGSIZE for a message that is too long).
ssize_t tt_receive_message(int socket, void *bytes, size_t count, int *descriptors, int capacity, int *descriptor_count);

/// Whether the socket of an idle worker has neither ended nor received something.
bool tt_is_quiet(int socket);

/// Creates shared memory whose size cannot be changed. A descriptor, or -1 with errno.
int tt_shared_memory(size_t count);

/// Creates shared memory that holds a copy of the bytes and can be neither changed nor resized. A descriptor, or -1 with
/// errno.
int tt_sealed_copy(const void *bytes, size_t count);

/// Makes the contents of shared memory unchangeable. Fails while a process can write to it. 0, or an errno.
int tt_make_unchangeable(int descriptor);
