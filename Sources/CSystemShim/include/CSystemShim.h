#pragma once

// System calls that the Glibc module map leaves out. Names start with `ct_`.

/// Names the calling thread for debuggers; at most 15 bytes count on Linux.
void ct_set_thread_name(const char *name);
