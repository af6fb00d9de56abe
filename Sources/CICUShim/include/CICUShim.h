#pragma once

#include <stdint.h>

// International host names by ICU. The headers of ICU stay out of Swift: Foundation has a module of another version of
// them, and a file that sees both does not compile.

typedef struct tt_idna tt_idna;

/// UTS #46 as the URL standard asks for it (non-transitional, CheckBidi, CheckJoiners); NULL when ICU lacks its data.
/// The object is immutable and may be used from any thread.
const tt_idna *tt_idna_open(void);

/// Writes the ASCII form of a UTF-8 name. Returns its length, or -1 when the name is not valid or does not fit.
///
/// As the URL standard says, neither the places of hyphens nor the lengths of labels count (CheckHyphens and
/// VerifyDnsLength are false).
int32_t tt_idna_to_ascii(const tt_idna *idna, const char *name, int32_t length, char *output, int32_t capacity);
