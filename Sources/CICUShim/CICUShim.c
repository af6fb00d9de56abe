#include "CICUShim.h"

#include <stddef.h>
#include <unicode/uidna.h>

const tt_idna *tt_idna_open(void) {
    UErrorCode code = U_ZERO_ERROR;
    UIDNA *idna = uidna_openUTS46(
        UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE, &code);
    return U_SUCCESS(code) ? (const tt_idna *)idna : NULL;
}

int32_t tt_idna_to_ascii(const tt_idna *idna, const char *name, int32_t length, char *output, int32_t capacity) {
    const uint32_t ignored = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
                             UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    UErrorCode code = U_ZERO_ERROR;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t count = uidna_nameToASCII_UTF8((const UIDNA *)idna, name, length, output, capacity, &info, &code);
    return U_SUCCESS(code) && code != U_STRING_NOT_TERMINATED_WARNING && (info.errors & ~ignored) == 0 ? count : -1;
}
