// A launch that is running: parameters, CTAs that are resident, and where the grid stands towards its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulation/ptx/machine/cta.hpp"

namespace xqacheck::ptx {

struct Launch {
  std::shared_ptr<const Program> program;
  Extent grid, block, cluster;
  std::uint32_t dynamic_shared = 0;
  bool programmatic_dependent = false;
  std::vector<std::byte> parameters;  // as Program::parameters lays them out
};

class Grid {
 public:
  Grid(Machine& machine, Launch launch, std::uint32_t number);

  Machine& machine() { return machine_; }
  const Launch& launch() const { return launch_; }
  const Program& program() const { return *launch_.program; }
  std::uint32_t number() const { return number_; }
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  std::uint32_t ctas() const { return static_cast<std::uint32_t>(launch_.grid.product()); }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(launch_.block.product()); }

  void begin();
  // Starts CTAs while there is room; ends those that are done.
  void fill();
  bool retire();
  bool done() const { return ended_ == ctas(); }
  std::vector<std::unique_ptr<Cta>>& resident() { return resident_; }

  // griddepcontrol
  void launch_dependents(std::uint32_t cta);
  bool allows_dependents() const { return triggered_count_ == ctas(); }
  bool predecessors_done = true;

 private:
  Machine& machine_;
  Launch launch_;
  std::uint32_t number_, shared_bytes_;
  std::vector<std::uint32_t> order_;
  std::uint32_t started_ = 0, ended_ = 0, triggered_count_ = 0;
  std::vector<bool> triggered_;
  std::vector<std::unique_ptr<Cta>> resident_;
};

}  // namespace xqacheck::ptx
