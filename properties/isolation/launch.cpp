#include "properties/isolation/launch.hpp"

#include <cxxabi.h>
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <new>

#include "kernels/jit/used.hpp"

namespace xqacheck::properties::isolation {
namespace {

// A child that a kernel forked and that returns into this code would go on as a second worker: it ends here.
class ForkTrap {
 public:
  void check() const {
    if (getpid() != self_) _exit(0);
  }

 private:
  pid_t self_ = getpid();
};

std::string answer_text(const char* why) {
  const std::size_t length = strnlen(why, kWhyBytes);
  return length == kWhyBytes ? std::string(why, 256) + " … (no terminating NUL)" : std::string(why, length);
}

std::string function_of(Stage stage) {
  return name_of(stage);
}

LaunchResult from_status(xqacheck_status status, Stage stage, const char* why) {
  LaunchResult result;
  std::string text = answer_text(why);
  switch (status) {
    case XQACHECK_OK:
      return result;
    case XQACHECK_UNSUPPORTED:
      result.status = RunStatus::unsupported;
      break;
    case XQACHECK_INVALID:
      result.status = RunStatus::invalid;
      break;
    case XQACHECK_ERROR:
      result.status = RunStatus::error;
      break;
    default:
      result.status = RunStatus::error;
      result.why =
          fmt::format("{} returned {}, which is no xqacheck_status", function_of(stage), static_cast<int>(status));
      return result;
  }
  // After supports() a kernel has accepted the problem: only prepare() may still find that it cannot.
  if (result.status != RunStatus::error && stage != Stage::supports && stage != Stage::prepare) {
    result.why = fmt::format("{} says {} after supports() said OK", function_of(stage),
                             status == XQACHECK_UNSUPPORTED ? "UNSUPPORTED" : "INVALID");
    result.status = RunStatus::error;
    return result;
  }
  if (text.empty()) text = fmt::format("{} gave no reason", function_of(stage));
  result.why = std::move(text);
  return result;
}

class Steps {
 public:
  Steps(const xqacheck_kernel& kernel, const xqacheck_problem& problem, Workspaces& workspaces, char* why,
        ControlPage& progress, const LaunchSteps& steps)
      : kernel_(kernel), problem_(problem), workspaces_(workspaces), why_(why), progress_(progress), steps_(steps) {}

  LaunchResult all(std::uint32_t runs) {
    LaunchResult result = enter(Stage::supports, [&] { return kernel_.supports(&problem_, why_, kWhyBytes); });
    if (result.status != RunStatus::ok) return result;
    xqacheck_instance* instance = nullptr;
    kernels::jit::take_used();  // what the harness compiled for itself
    result = enter(Stage::prepare, [&] { return kernel_.prepare(&problem_, &instance, why_, kWhyBytes); });
    const std::string compiled = kernels::jit::take_used();
    if (result.status != RunStatus::ok) return result;
    result = with_instance(instance, runs);
    result.compiled = compiled;
    workspaces_.freeze();
    progress_.stage = Stage::destroy;
    kernel_.destroy(instance);
    trap_.check();
    progress_.stage = Stage::after_destroy;
    return result;
  }

 private:
  template <class Call>
  LaunchResult enter(Stage stage, Call call) {
    progress_.stage = stage;
    why_[0] = '\0';
    const xqacheck_status status = call();
    trap_.check();
    return from_status(status, stage, why_);
  }

  LaunchResult with_instance(xqacheck_instance* instance, std::uint32_t runs) {
    xqacheck_workspace sizes{};
    LaunchResult result = enter(Stage::workspace, [&] { return kernel_.workspace(instance, &problem_, &sizes); });
    if (result.status != RunStatus::ok) return result;
    progress_.stage = Stage::split_plan;
    const std::uint32_t splits = kernel_.split_plan(&problem_);
    trap_.check();
    xqacheck_launch launch{};
    launch.stream = steps_.stream;
    if (result.why = workspaces_.provide(sizes, &launch.scratch, &launch.state); !result.why.empty()) {
      result.status = RunStatus::error;
      return result;
    }
    std::int64_t nonzero_state = -1;
    for (std::uint32_t i = 0; i < runs; ++i) {
      progress_.run_index = i;
      if (steps_.before != nullptr)
        if (result.why = steps_.before(steps_.context); !result.why.empty()) {
          result.status = RunStatus::crashed;
          break;
        }
      const auto begin = std::chrono::steady_clock::now();
      result = enter(Stage::run, [&] { return kernel_.run(instance, &problem_, &launch); });
      if (result.status == RunStatus::ok && steps_.wait != nullptr)
        if (result.why = steps_.wait(steps_.context); !result.why.empty()) result.status = RunStatus::crashed;
      result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (result.status != RunStatus::ok) break;
      progress_.stage = Stage::after_run;
      if (nonzero_state < 0) nonzero_state = workspaces_.nonzero_state();
    }
    result.splits = splits;
    result.nonzero_state = nonzero_state;
    return result;
  }

  const xqacheck_kernel& kernel_;
  const xqacheck_problem& problem_;
  Workspaces& workspaces_;
  char* why_;
  ControlPage& progress_;
  const LaunchSteps& steps_;
  ForkTrap trap_;
};

LaunchResult thrown(const ControlPage& progress, const std::string& what) {
  LaunchResult result;
  result.status = RunStatus::crashed;
  result.threw = true;
  result.why = fmt::format("{} threw {} through the C interface", function_of(progress.stage.load()), what);
  return result;
}

class HostLauncher final : public Launcher {
 public:
  std::string device() override { return "host"; }
  LaunchResult launch(const xqacheck_kernel& kernel, const xqacheck_problem& problem, const LaunchSite& site,
                      Workspaces& workspaces, char* why, ControlPage& progress) override {
    return launch_steps(kernel, problem, site.runs, workspaces, why, progress, {});
  }
};

Launcher* the_cuda_launcher = nullptr;

}  // namespace

const char* name_of(Stage stage) {
  switch (stage) {
    case Stage::starting:
      return "starting the worker";
    case Stage::idle:
      return "no call";
    case Stage::loading:
      return "loading the plug-in";
    case Stage::get_kernel:
      return "xqacheck_get_kernel()";
    case Stage::describe:
      return "describe()";
    case Stage::supports:
      return "supports()";
    case Stage::prepare:
      return "prepare()";
    case Stage::workspace:
      return "workspace()";
    case Stage::split_plan:
      return "split_plan()";
    case Stage::run:
      return "run()";
    case Stage::after_run:
      return "the time after run()";
    case Stage::destroy:
      return "destroy()";
    case Stage::after_destroy:
      return "the time after destroy()";
  }
  return "?";
}

LaunchResult launch_steps(const xqacheck_kernel& kernel, const xqacheck_problem& problem, std::uint32_t runs,
                          Workspaces& workspaces, char* why, ControlPage& progress, const LaunchSteps& steps) {
  try {
    return Steps(kernel, problem, workspaces, why, progress, steps).all(runs);
  } catch (const std::bad_alloc&) {
    LaunchResult result = thrown(progress, "std::bad_alloc");
    result.why = fmt::format("out of memory in {}: std::bad_alloc came through the C interface",
                             function_of(progress.stage.load()));
    return result;
  } catch (const std::exception& error) {
    return thrown(progress, fmt::format("a C++ exception (\"{}\")", error.what()));
  } catch (abi::__forced_unwind&) {
    throw;  // pthread_exit(): the C library demands that it goes on
  } catch (...) {
    return thrown(progress, "a C++ exception that is no std::exception");
  }
}

Launcher& host_launcher() {
  static HostLauncher launcher;
  return launcher;
}

Launcher* cuda_launcher() {
  return the_cuda_launcher;
}
void set_cuda_launcher(Launcher* launcher) {
  the_cuda_launcher = launcher;
}

}  // namespace xqacheck::properties::isolation
