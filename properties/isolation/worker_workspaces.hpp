// Scratch and state of a kernel that runs in a worker: slots of the shared memory, laid out like the tensors.
#pragma once

#include "properties/isolation/control_page.hpp"
#include "properties/isolation/launch.hpp"
#include "properties/isolation/protocol.hpp"
#include "properties/isolation/worker_memory.hpp"

namespace xqacheck::properties::isolation {

class WorkerWorkspaces final : public Workspaces {
 public:
  WorkerWorkspaces(WorkerMemory& memory, ControlPage& control) : memory_(memory), control_(control) {}

  void begin(const CaseRequest& request) { request_ = &request; }
  std::string provide(const xqacheck_workspace& sizes, void** scratch, void** state) override;
  std::int64_t nonzero_state() override;
  void freeze() override;

 private:
  void fill_scratch(const SlotPlan& plan);

  WorkerMemory& memory_;
  ControlPage& control_;
  const CaseRequest* request_ = nullptr;
};

}  // namespace xqacheck::properties::isolation
