// shared_memory.h: what the connections of one database share while at least one is open: the index of its log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace semel::sim {

class SharedMemory {
 public:
  // Slots of locks (sqlite.org/walformat.html, 2.3); behind these come recovery and five readers.
  static constexpr int kWriter = 0;
  static constexpr int kCheckpoint = 1;

  bool has_region(std::size_t index) const { return index < regions_.size(); }
  // Zeros where it is new; stays where it is.
  void* region(std::size_t index, std::size_t bytes) {
    while (index >= regions_.size()) regions_.push_back(std::make_unique<std::byte[]>(bytes));
    return regions_[index].get();
  }

  // Frames are in the log, and a checkpoint has copied all of them.
  bool log_is_fully_copied() const { return frames() > 0 && frames() == copied(); }

 private:
  // The index begins with a header, whose fifth number counts frames; behind its two copies stands the number copied.
  std::uint32_t frames() const { return number_at(16); }
  std::uint32_t copied() const { return number_at(96); }
  std::uint32_t number_at(std::size_t offset) const {
    std::uint32_t number = 0;
    if (!regions_.empty()) std::memcpy(&number, regions_.front().get() + offset, sizeof number);
    return number;
  }

  std::vector<std::unique_ptr<std::byte[]>> regions_;
};

}  // namespace semel::sim
