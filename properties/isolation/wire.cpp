#include "properties/isolation/wire.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>

#include "properties/errors.hpp"

namespace xqacheck::properties::isolation {
namespace {

constexpr std::uint64_t kMagic = 0x314b4e4c43415158u;  // "XQACLNK1" in memory
constexpr std::size_t kMostDescriptors = 4;

struct Header {
  std::uint64_t magic = kMagic;
  MessageType type{};
  std::uint32_t payload_bytes = 0;
  std::uint64_t sequence = 0;
  std::uint64_t checksum = 0;  // XXH3 of this header with checksum 0, then seeded into that of the payload
};

std::uint64_t checksum_of(Header header, const std::byte* payload) {
  header.checksum = 0;
  return XXH3_64bits_withSeed(payload, header.payload_bytes, XXH3_64bits(&header, sizeof header));
}

void take_descriptors(msghdr& header, std::vector<UniqueFd>& descriptors) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
}

}  // namespace

bool send_message(int socket, MessageType type, std::uint64_t sequence, std::span<const std::byte> payload,
                  std::span<const int> descriptors) {
  Header header;
  header.type = type;
  header.sequence = sequence;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.checksum = checksum_of(header, payload.data());
  iovec parts[2] = {{&header, sizeof header}, {const_cast<std::byte*>(payload.data()), payload.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = -1;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof header + payload.size());
}

Received receive_message(int socket, Message& result, bool wait) {
  thread_local std::vector<std::byte> buffer(kLongestPayload);
  Header header;
  iovec parts[2] = {{&header, sizeof header}, {buffer.data(), buffer.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = -1;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Received::nothing : Received::closed;
  result.descriptors.clear();
  take_descriptors(message, result.descriptors);
  if (got == 0) return Received::closed;
  if (got < static_cast<ssize_t>(sizeof header) || header.magic != kMagic ||
      (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
      header.payload_bytes != static_cast<std::size_t>(got) - sizeof header ||
      header.checksum != checksum_of(header, buffer.data()))
    return Received::garbage;
  result.type = header.type;
  result.sequence = header.sequence;
  result.payload.assign(buffer.begin(), buffer.begin() + header.payload_bytes);
  return Received::message;
}

SocketPair make_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    throw EnvironmentError(
        fmt::format("cannot make a socket pair for a worker ({}); raise `ulimit -n`?", std::strerror(errno)));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void Packer::put_bytes(const void* data, std::size_t size) {
  const auto* begin = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), begin, begin + size);
}

void Packer::put_text(std::string_view text) {
  put(static_cast<std::uint32_t>(text.size()));
  put_bytes(text.data(), text.size());
}

bool Unpacker::get_bytes(void* data, std::size_t size) {
  if (size > rest_.size()) return false;
  if (size != 0) std::memcpy(data, rest_.data(), size);
  rest_ = rest_.subspan(size);
  return true;
}

bool Unpacker::get_text(std::string& text) {
  std::uint32_t size = 0;
  if (!get(size) || size > rest_.size()) return false;
  text.resize(size);
  return get_bytes(text.data(), size);
}

}  // namespace xqacheck::properties::isolation
