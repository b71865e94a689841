// The program xqacheck-worker. Started by the harness only: its connection is file descriptor 3.
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "properties/cuda/cuda_launcher.hpp"
#include "properties/isolation/launch.hpp"
#include "properties/isolation/supervisor.hpp"

int main(int argument_count, char** arguments) {
  using namespace xqacheck::properties::isolation;
  WorkerSetup setup;
  for (int i = 1; i < argument_count; ++i) {
    if (std::strcmp(arguments[i], "--list") == 0)
      setup.list = true;
    else if (std::strcmp(arguments[i], "--kernel") == 0 && i + 1 < argument_count)
      setup.kernel = arguments[++i];
    else if (std::strcmp(arguments[i], "--data-limit") == 0 && i + 1 < argument_count)
      setup.data_limit = std::strtoull(arguments[++i], nullptr, 10);
  }
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(kControlDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) {
    std::fprintf(stderr,
                 "xqacheck-worker runs kernels for xqacheck, which starts it itself; use `xqacheck verify` or "
                 "`xqacheck repro`\n");
    return 2;
  }
  const auto launcher = xqacheck::properties::cuda::make_cuda_launcher();  // opens no device yet
  set_cuda_launcher(launcher.get());
  return supervisor_main(setup, UniqueFd(kControlDescriptor));
}
