#define _GNU_SOURCE
#include "CSystemShim.h"

// Atomics of C, which ThreadSanitizer understands where the whole program is built with it.

#if defined(__APPLE__)
#include <os/lock.h>

void ct_take_lock(struct ct_short_lock *lock) { os_unfair_lock_lock((os_unfair_lock *)&lock->state); }
void ct_leave_lock(struct ct_short_lock *lock) { os_unfair_lock_unlock((os_unfair_lock *)&lock->state); }

#else
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sched.h>
#endif

enum { FREE = 0, HELD = 1, AWAITED = 2 };

static void sleep_while_awaited(uint32_t *state) {
#if defined(__linux__)
    // Comes back at once if the lock is free by now.
    syscall(SYS_futex, state, FUTEX_WAIT_PRIVATE, AWAITED, NULL, NULL, 0);
#else
    (void)state;
    sched_yield();
#endif
}

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

__attribute__((noinline, cold)) static void lock_slowly(uint32_t *state) {
    for (int turn = 0; turn < 100; turn++) {
        uint32_t expected = FREE;
        if (__atomic_load_n(state, __ATOMIC_RELAXED) == FREE
            && __atomic_compare_exchange_n(state, &expected, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
        relax();
    }
    // Whoever slept takes the lock as awaited: it cannot know whether others still sleep.
    while (__atomic_exchange_n(state, AWAITED, __ATOMIC_ACQUIRE) != FREE) { sleep_while_awaited(state); }
}

void ct_take_lock(struct ct_short_lock *lock) {
    uint32_t expected = FREE;
    if (__atomic_compare_exchange_n(&lock->state, &expected, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) { return; }
    lock_slowly(&lock->state);
}

void ct_leave_lock(struct ct_short_lock *lock) {
    if (__atomic_exchange_n(&lock->state, FREE, __ATOMIC_RELEASE) != AWAITED) { return; }
#if defined(__linux__)
    syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
}
#endif
