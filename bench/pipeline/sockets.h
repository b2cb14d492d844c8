// sockets.h: loopback sockets for the benchmark programs, without ceremony: whatever fails ends the program.
#pragma once

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace semel::bench {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline void no_delay(int fd) {
  const int on = 1;
  SEMEL_CHECK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
}

struct Listening {
  int fd;
  std::uint16_t port;
};

inline Listening listen_on_loopback() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  SEMEL_CHECK(fd >= 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  SEMEL_CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  SEMEL_CHECK(listen(fd, 512) == 0);
  SEMEL_CHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return {fd, ntohs(address.sin_port)};
}

// Connected, non-blocking.
inline int connect_to_loopback(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  SEMEL_CHECK(fd >= 0);
  const sockaddr_in address = loopback(port);
  SEMEL_CHECK(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  no_delay(fd);
  const int on = 1;
  SEMEL_CHECK(ioctl(fd, FIONBIO, &on) == 0);
  return fd;
}

inline void watch(int epoll, int fd, void* owner) {
  epoll_event event{.events = EPOLLIN, .data = {.ptr = owner}};
  SEMEL_CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
}

// Messages of a few KiB always fit into an empty loopback socket buffer.
inline void send_whole(int fd, std::string_view bytes) {
  SEMEL_CHECK(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

}  // namespace semel::bench
