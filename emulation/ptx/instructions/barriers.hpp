// What a CTA needs of its barriers.
#pragma once

#include "emulation/ptx/machine/cta.hpp"

namespace xqacheck::ptx {

// Gives a fragment that waited at bar.red (and its fellows at bar.sync nothing) the result of the barrier.
void finish_reduction(Warp& warp, const Inst& inst, LaneMask lanes, const Cta::Barrier& barrier);

bool is_warp_barrier(const Inst& inst);  // bar.warp.sync

}  // namespace xqacheck::ptx
