#define _GNU_SOURCE
#include "include/CIsolation.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "Internal.h"

// From linux/landlock.h, whose copy on older systems lacks the later rights.
enum {
    ACCESS_READ_FILE = 1 << 2,
    ACCESS_READ_DIRECTORY = 1 << 3,
    RULE_PATH_BENEATH = 1,
    CREATE_RULESET_VERSION = 1,
    SYSTEM_CALL_CREATE_RULESET = 444,
    SYSTEM_CALL_ADD_RULE = 445,
    SYSTEM_CALL_RESTRICT_SELF = 446,
};

struct ruleset_attributes {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

struct path_attributes {
    uint64_t allowed_access;
    int32_t parent;
} __attribute__((packed));

// What drawing text and loading codec modules reads. Everything else is out of reach.
static const char *const readable[] = {
    "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
    "/usr/share/mime", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    "/sys/devices/system/cpu",
};
static const char *const readable_below_home[] = {
    ".fonts", ".local/share/fonts", ".config/fontconfig", ".cache/fontconfig", ".local/share/mime",
};

static void allow_reading(int ruleset, const char *path) {
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) return;
    struct path_attributes rule = {ACCESS_READ_FILE | ACCESS_READ_DIRECTORY, parent};
    if (syscall(SYSTEM_CALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) != 0) {
        // A plain file takes no right of directories.
        rule.allowed_access = ACCESS_READ_FILE;
        syscall(SYSTEM_CALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
    }
    close(parent);
}

static bool enter_landlock(void) {
    long version = syscall(SYSTEM_CALL_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
    if (version < 1) return false;
    struct ruleset_attributes attributes = {.handled_access_fs = 0x1fff};
    size_t size = sizeof attributes.handled_access_fs;
    if (version >= 2) attributes.handled_access_fs |= 1 << 13;
    if (version >= 3) attributes.handled_access_fs |= 1 << 14;
    if (version >= 5) attributes.handled_access_fs |= 1 << 15;
    if (version >= 4) {
        attributes.handled_access_net = 3;
        size = offsetof(struct ruleset_attributes, scoped);
    }
    if (version >= 6) {
        attributes.scoped = 3;
        size = sizeof attributes;
    }
    int ruleset = (int)syscall(SYSTEM_CALL_CREATE_RULESET, &attributes, size, 0);
    if (ruleset < 0) return false;
    for (size_t index = 0; index < sizeof readable / sizeof *readable; index++) allow_reading(ruleset, readable[index]);
    const char *home = getenv("HOME");
    if (home != NULL) {
        for (size_t index = 0; index < sizeof readable_below_home / sizeof *readable_below_home; index++) {
            char path[512];
            int length = snprintf(path, sizeof path, "%s/%s", home, readable_below_home[index]);
            if (length > 0 && (size_t)length < sizeof path) allow_reading(ruleset, path);
        }
    }
    bool isRestricted = syscall(SYSTEM_CALL_RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return isRestricted;
}

static const int allowed_calls[] = {
    // Memory.
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // Files that are open, and messages over the worker's socket.
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
    SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(sendmsg), SCMP_SYS(recvmsg),
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(eventfd2),
    // Looking for fonts.
    SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(access), SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getdents64), SCMP_SYS(statfs),
    SCMP_SYS(fstatfs), SCMP_SYS(getcwd), SCMP_SYS(uname),
    // Threads, time and the process itself.
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(get_robust_list), SCMP_SYS(rseq), SCMP_SYS(set_tid_address),
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_get_priority_max), SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(membarrier), SCMP_SYS(getcpu), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(getuid),
    SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrusage), SCMP_SYS(sysinfo),
    SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
};

static bool enter_seccomp(void) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL) return false;
    int error = 0;
    for (size_t index = 0; index < sizeof allowed_calls / sizeof *allowed_calls; index++) {
        // A call that this architecture does not have is no error.
        if (allowed_calls[index] >= 0) error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[index], 0);
    }
    // Files only for reading; landlock says which.
    const scmp_datum_t writing = O_ACCMODE | O_CREAT | O_TRUNC;
    error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
    if (SCMP_SYS(open) >= 0) {
        error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY));
    }
    // Threads, but no processes. The flags of clone3 lie in memory, where a filter cannot see them: without it the C
    // library uses clone.
    error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    error |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    // Of descriptors only the flags: F_SETOWN would send signals to other processes.
    const int file_commands[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC};
    for (size_t index = 0; index < sizeof file_commands / sizeof *file_commands; index++) {
        const scmp_datum_t command = (scmp_datum_t)file_commands[index];
        error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, command));
    }
    // Signals to itself, for abort(); limits for reading; names of threads and mappings.
    error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
    error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0));
    error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME));
    error |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, 0x53564d41));
    bool isLoaded = error == 0 && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return isLoaded;
}

static uint64_t mapped_bytes(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool set_limit(int resource, uint64_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return false;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value) value = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = value;
    return setrlimit(resource, &limit) == 0;
}

// Runs where a decoder has crashed. A crash near the limit of memory is a lack of memory, and the parent shall know.
static void on_crash(int number, siginfo_t *information, void *context) {
    (void)context;
    const size_t probe = 64 << 20;
    void *memory = mmap(NULL, probe, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(TT_EXIT_OUT_OF_MEMORY);
    // The instruction is executed again, and ends the process with its signal. A signal that was sent is sent again.
    signal(number, SIG_DFL);
    if (information->si_code <= 0) raise(number);
}

static void watch_for_lack_of_memory(void) {
    static char stack[1 << 14];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
}

unsigned tt_sandbox_enter(uint64_t memory) {
    unsigned missing = 0;
    watch_for_lack_of_memory();
    // A library that prints to standard error shall not end the worker because that is a file.
    signal(SIGXFSZ, SIG_IGN);
    uint64_t mapped = mapped_bytes();
    bool hasLimits = set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_NOFILE, 64) && set_limit(RLIMIT_FSIZE, 0);
    if (mapped > 0) hasLimits = set_limit(RLIMIT_AS, mapped + memory) && hasLimits;
    if (!hasLimits || mapped == 0) missing |= TT_SANDBOX_NO_LIMITS;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return missing | TT_SANDBOX_NO_NEW_PRIVILEGES | TT_SANDBOX_NO_LANDLOCK | TT_SANDBOX_NO_SECCOMP;
    }
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (!enter_landlock()) missing |= TT_SANDBOX_NO_LANDLOCK;
    if (!enter_seccomp()) missing |= TT_SANDBOX_NO_SECCOMP;
    return missing;
}
