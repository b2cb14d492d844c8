// arrivals.h: when each numbered event reached the sink, in a file that the load generator and the sink both map.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "base/check.h"

namespace semel::bench {

inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

inline constexpr std::string_view kNumberMark = R"("data":{"n":"n)";  // followed by eight digits and a quote
inline constexpr std::size_t kEventsMax = 4'000'000;

class Arrivals {
 public:
  explicit Arrivals(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    constexpr std::size_t bytes = (kEventsMax + 1) * sizeof(std::int64_t);
    SEMEL_CHECK(fd >= 0 && ftruncate(fd, bytes) == 0);
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    SEMEL_CHECK(mapped != MAP_FAILED);
    close(fd);
    slots_ = static_cast<std::atomic<std::int64_t>*>(mapped);
  }
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;
  ~Arrivals() { munmap(slots_, (kEventsMax + 1) * sizeof(std::int64_t)); }

  // The first arrival of a number counts; later ones are repetitions.
  void note(std::string_view body) {
    const std::size_t mark = body.find(kNumberMark);
    if (mark == std::string_view::npos || body.size() < mark + kNumberMark.size() + 8) return;
    const char* digits = body.data() + mark + kNumberMark.size();
    std::size_t number = 0;
    std::from_chars(digits, digits + 8, number);
    if (number == 0 || number > kEventsMax || slots_[number] != 0) return;
    slots_[number] = monotonic_ns();
    ++slots_[0];
  }

  std::int64_t count() const { return slots_[0]; }
  std::int64_t of(std::size_t number) const { return slots_[number]; }

 private:
  std::atomic<std::int64_t>* slots_;
};

}  // namespace semel::bench
