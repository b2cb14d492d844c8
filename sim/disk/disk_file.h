// disk_file.h: the bytes of one file: what is there now, what is durable, and the changes between the two.
//
// A power failure keeps of each change any of its sectors. How a file's lottery goes is drawn first, since coins alone
// would almost never keep all of a commit, or all but the last piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kernel/draw.h"

namespace semel::sim {

inline constexpr std::size_t kSectorBytes = 512;

class DiskFile {
 public:
  explicit DiskFile(std::uint64_t number) : number_(number) {}

  std::uint64_t number() const { return number_; }  // rises with each file of the disk
  const std::string& bytes() const { return now_; }
  bool synced() const { return changes_.empty(); }

  void write(std::size_t offset, std::string_view bytes);
  void truncate(std::size_t size);

  void sync();
  // What Linux does after a failed one: nothing counts as unsynced any more, and what did may never become durable.
  void fail_sync(Draw& draw);
  void lose_power(Draw& draw);

 private:
  struct Change {
    enum class Kind : std::uint8_t { write, truncate };
    Kind kind;
    std::size_t offset;  // of a write; the new size of a truncation
    std::size_t size;    // of a write
    std::size_t at;      // of its bytes in written_
  };
  std::string_view bytes_of(const Change& change) const { return {written_.data() + change.at, change.size}; }
  void keep(const Change& change);
  void keep_some_sectors(const Change& change, Draw& draw);
  void run_lottery(Draw& draw);
  void forget_changes();

  std::uint64_t number_;
  std::string now_;
  std::string durable_;
  bool sync_failed_ = false;  // so that the two may differ without a change
  std::vector<Change> changes_;
  std::string written_;
};

// Which names lead to which files, now and after a power failure.
class DiskNames {
 public:
  std::shared_ptr<DiskFile> find(std::string_view path) const;  // nullptr: no such name
  std::shared_ptr<DiskFile> create(std::string_view path);
  // A file without a name; it is gone with its last user.
  std::shared_ptr<DiskFile> create_unnamed();
  void remove(std::string_view path);
  // Every name in the folder of `path` is durable as it is now.
  void sync_folder_of(std::string_view path);

  // Of each name that changed since its folder was synced any state it had since then is found, and of each file what
  // its lottery leaves.
  void lose_power(std::string_view prefix, const Draw& draw);

  template <class F>
  void for_each(std::string_view prefix, F f) const {
    for (auto name = names_.lower_bound(prefix); name != names_.end() && name->first.starts_with(prefix); ++name)
      if (name->second.now) f(name->first, *name->second.now);
  }

 private:
  struct Name {
    std::shared_ptr<DiskFile> now;                     // nullptr: removed
    std::vector<std::shared_ptr<DiskFile>> not_later;  // what it led to since its folder was synced, the oldest first
  };
  void lead_to(std::string_view path, std::shared_ptr<DiskFile> file);

  std::map<std::string, Name, std::less<>> names_;
  std::uint64_t last_number_ = 0;
};

}  // namespace semel::sim
