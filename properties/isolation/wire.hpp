// Messages between the harness, a supervisor and a worker: datagrams on Unix sockets (SOCK_SEQPACKET), each with a
// magic number, a sequence number and a checksum. A kernel that writes to a file descriptor that is not its own is
// recognised by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/isolation/unique_fd.hpp"

namespace xqacheck::properties::isolation {

enum class MessageType : std::uint32_t {
  // harness -> supervisor
  start = 1,  // with two descriptors: the worker's socket and the shared memory
  kill,
  // supervisor -> harness
  gone,     // GoneReport
  stopped,  // the worker was stopped by a signal: int32
  // worker -> harness
  loaded,       // LoadedReport
  load_failed,  // text
  done,         // DoneReport, then `why`
  // harness -> worker
  run_case  // CaseRequest
};

struct Message {
  MessageType type = MessageType::start;
  std::uint64_t sequence = 0;
  std::vector<std::byte> payload;
  std::vector<UniqueFd> descriptors;
};

enum class Received : std::uint8_t {
  message,
  closed,   // the other end is gone
  nothing,  // nothing there yet (only if not asked to wait)
  garbage   // not one of our messages
};

// Longest payload. A description's strings are at most 4 KiB each, and a plug-in holds a few kernels.
inline constexpr std::size_t kLongestPayload = 160 << 10;

// False when the other end is gone or the socket does not take it.
bool send_message(int socket, MessageType type, std::uint64_t sequence, std::span<const std::byte> payload,
                  std::span<const int> descriptors = {});
Received receive_message(int socket, Message& message, bool wait);

// Two connected ends, close-on-exec, with room for the longest message. Throws EnvironmentError.
struct SocketPair {
  UniqueFd ours, theirs;
};
SocketPair make_socket_pair();

// Payloads are flat structs and strings, one after the other.
class Packer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  void put_text(std::string_view text);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void put_bytes(const void* data, std::size_t size);
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}
  // False, and nothing read, when the payload is too short.
  template <class T>
  bool get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return get_bytes(&value, sizeof value);
  }
  bool get_text(std::string& text);

 private:
  bool get_bytes(void* data, std::size_t size);
  std::span<const std::byte> rest_;
};

}  // namespace xqacheck::properties::isolation
