// A planted fault: one small text file that turns the correct kernel flash32 into a wrong one.
//
//   class: SINK                     fault class of doc/known-faults.md
//   seed: MUT-15                    the seeded fault of that class
//   fault: the sink is added …      one line for people
//   killed by: plan laws            properties that must fail it, each on its own
//   timeout: 1                      seconds that a run may take (30)
//   repeats: no                     it depends on time or on earlier calls, so a smaller case cannot be searched for
//   --- find                        text of the kernel, found exactly once in it
//   --- right                       correct text in its place, where the kernel lacks the feature (as found)
//   --- wrong                       text with the fault
//
// `find` … may be repeated. Lines that begin with # before the first `---` are comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xqacheck::tests {

struct Edit {
  std::string find, right, wrong;
};

struct FaultFile {
  std::string name;  // of the file, without folder and ending: the kernel's name
  std::string fault_class, seed, fault;
  std::vector<std::string> killed_by;
  double timeout_seconds = 30;
  bool repeats = true;
  std::vector<Edit> edits;
  bool has_own_twin() const;  // some `right` differs from what was found
  std::string twin() const;   // name of the correct kernel that it is compared with
};

// Throws std::runtime_error naming file and line.
FaultFile parse_fault(const std::string& path, std::string_view text);
FaultFile read_fault(const std::string& path);

// Of every *.fault in `folder`, by name.
std::vector<FaultFile> read_faults(const std::string& folder);

std::string read_text(const std::string& path);

}  // namespace xqacheck::tests
