#pragma once

/// The exit status of a worker that crashed because its memory was used up.
enum { TT_EXIT_OUT_OF_MEMORY = 77 };
