#define _GNU_SOURCE
#include "include/CIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Internal.h"

#define MARKER_NAME "TINTYPE_DECODE_WORKER"

extern char **environ;

// In Swift: the loop of a worker that decodes with the built-in codecs.
extern void tt_worker_main(int socket);

static bool is_socket_of_parent(int descriptor) {
    int type = 0, domain = 0;
    struct ucred peer = {0};
    socklen_t size = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) return false;
    size = sizeof domain;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) return false;
    size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
    return peer.pid == getppid();
}

bool tt_worker_is_requested(const char *marker) {
    const char *value = getenv(MARKER_NAME);
    if (value == NULL || strcmp(value, marker) != 0 || getauxval(AT_SECURE) != 0) return false;
    if (!is_socket_of_parent(TT_WORKER_SOCKET)) return false;
    unsetenv(MARKER_NAME);
    // The parent may have died before this call; then the end of file at the socket ends the worker.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // Ctrl-C at the terminal reaches the whole process group. The parent decides what it ends.
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    return true;
}

// Any program that links the library can be its own worker: this runs before `main`.
__attribute__((constructor)) static void become_worker_if_requested(void) {
    if (getenv(MARKER_NAME) == NULL || !tt_worker_is_requested("main")) return;
    // The name of the program would be "exe".
    prctl(PR_SET_NAME, "tintype-worker", 0, 0, 0);
    tt_worker_main(TT_WORKER_SOCKET);
    _exit(0);
}

static char **environment_with_marker(const char *marker, char **storage) {
    size_t count = 0;
    while (environ[count] != NULL) count++;
    char **copy = calloc(count + 2, sizeof *copy);
    size_t length = sizeof MARKER_NAME + 1 + strlen(marker);
    *storage = malloc(length);
    if (copy == NULL || *storage == NULL) {
        free(copy);
        free(*storage);
        return NULL;
    }
    strcpy(*storage, MARKER_NAME "=");
    strcat(*storage, marker);
    memcpy(copy, environ, count * sizeof *copy);
    copy[count] = *storage;
    return copy;
}

int tt_worker_spawn(const char *path, int socket, const char *marker, pid_t *process, int *process_descriptor) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *storage = NULL;
    char **environment = environment_with_marker(marker, &storage);
    if (environment == NULL) return ENOMEM;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, 0, 1);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, socket, TT_WORKER_SOCKET);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, TT_WORKER_SOCKET + 1);
    if (error == 0) error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        char *arguments[] = {"tintype-decode-worker", NULL};
        error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    free(storage);
    // The descriptor is closed on exec by definition.
    if (error == 0) *process_descriptor = (int)syscall(SYS_pidfd_open, *process, 0);
    return error;
}

void tt_worker_kill(pid_t process, int process_descriptor) {
    if (process_descriptor >= 0) {
        syscall(SYS_pidfd_send_signal, process_descriptor, SIGKILL, NULL, 0);
    } else {
        kill(process, SIGKILL);
    }
}

int tt_worker_wait(pid_t process) {
    int status = 0;
    pid_t result;
    do result = waitpid(process, &status, 0);
    while (result < 0 && errno == EINTR);
    if (result != process) return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == TT_EXIT_OUT_OF_MEMORY) return TT_WORKER_OUT_OF_MEMORY;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
