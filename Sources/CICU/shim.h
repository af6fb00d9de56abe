#pragma once
#include <unicode/uidna.h>
