// Which instruction sets the fast forms are compiled for. Include before any Highway header.
//
// AVX2, AVX-512, NEON, and Highway's portable emulation for everything else. Left out: SSE (a fifth compilation for
// machines of before 2013) and vectors of unknown length (SVE, RVV), which cannot be held in arrays and fall back to
// NEON or the emulation.
#pragma once

#include "hwy/detect_compiler_arch.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
