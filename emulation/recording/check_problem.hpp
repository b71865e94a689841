// Does a recorded problem hold what its sizes promise? Recordings come from elsewhere: nothing in them is believed.
#pragma once

#include "emulation/recording/recorded_file.hpp"
#include "reference/problem.hpp"

namespace xqacheck::emulation {

// Throws RecordingError that names the field: sizes that contradict each other, tensors too small for their strides, lengths
// above the capacity, pages and beams that do not exist.
void check_problem(const RecordedFile& file, const reference::Problem& problem);

}  // namespace xqacheck::emulation
