// disk_file.cc: changes, and the lottery of a power failure.
#include "sim/disk/disk_file.h"

#include <algorithm>
#include <utility>

namespace semel::sim {
namespace {

// Bytes that were never written are zeros.
void put(std::string& content, std::size_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  bytes.copy(content.data() + offset, bytes.size());
}

void cut(std::string& content, std::size_t size) { content.resize(std::min(size, content.size())); }

enum class Luck : std::uint8_t {
  nothing,       // is kept
  everything,    // is kept
  first_ones,    // whole changes up to a drawn one, of that one some sectors, of the later ones nothing
  some_changes,  // whole ones
  some_sectors,  // of any change
  nearly_all,    // sectors
};
constexpr std::uint64_t kLucks = 6;

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

void DiskFile::write(std::size_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  put(now_, offset, bytes);
  changes_.push_back({Change::Kind::write, offset, bytes.size(), written_.size()});
  written_ += bytes;
}

void DiskFile::truncate(std::size_t size) {
  if (size >= now_.size()) return;
  cut(now_, size);
  changes_.push_back({Change::Kind::truncate, size, 0, 0});
}

void DiskFile::sync() {
  for (const Change& change : changes_) keep(change);
  forget_changes();
}

void DiskFile::fail_sync(Draw& draw) {
  run_lottery(draw);
  forget_changes();
  sync_failed_ = true;
}

void DiskFile::lose_power(Draw& draw) {
  if (changes_.empty() && !sync_failed_) return;
  run_lottery(draw);
  forget_changes();
  now_ = durable_;
  sync_failed_ = false;
}

void DiskFile::forget_changes() {
  changes_.clear();
  written_.clear();
}

void DiskFile::keep(const Change& change) {
  switch (change.kind) {
    case Change::Kind::write:
      return put(durable_, change.offset, bytes_of(change));
    case Change::Kind::truncate:
      return cut(durable_, change.offset);
  }
}

void DiskFile::keep_some_sectors(const Change& change, Draw& draw) {
  if (change.kind == Change::Kind::truncate) {
    if (draw.below(2) == 0) keep(change);
    return;
  }
  const std::string_view bytes = bytes_of(change);
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t offset = change.offset + done;
    const std::size_t size = std::min(bytes.size() - done, kSectorBytes - offset % kSectorBytes);
    if (draw.below(2) == 0) put(durable_, offset, bytes.substr(done, size));
    done += size;
  }
}

void DiskFile::run_lottery(Draw& draw) {
  if (changes_.empty()) return;
  const auto luck = static_cast<Luck>(draw.below(kLucks));
  const std::uint64_t special = draw.below(changes_.size() + 1);  // of first_ones and nearly_all
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const Change& change = changes_[i];
    switch (luck) {
      case Luck::nothing:
        break;
      case Luck::everything:
        keep(change);
        break;
      case Luck::first_ones:
        if (i < special) keep(change);
        if (i == special) keep_some_sectors(change, draw);
        break;
      case Luck::some_changes:
        if (draw.below(2) == 0) keep(change);
        break;
      case Luck::some_sectors:
        keep_some_sectors(change, draw);
        break;
      case Luck::nearly_all:
        if (i == special) keep_some_sectors(change, draw);
        if (i != special) keep(change);
        break;
    }
  }
}

std::shared_ptr<DiskFile> DiskNames::find(std::string_view path) const {
  const auto name = names_.find(path);
  return name == names_.end() ? nullptr : name->second.now;
}

std::shared_ptr<DiskFile> DiskNames::create(std::string_view path) {
  auto file = create_unnamed();
  lead_to(path, file);
  return file;
}

std::shared_ptr<DiskFile> DiskNames::create_unnamed() { return std::make_shared<DiskFile>(++last_number_); }

void DiskNames::remove(std::string_view path) {
  if (find(path)) lead_to(path, nullptr);
}

void DiskNames::lead_to(std::string_view path, std::shared_ptr<DiskFile> file) {
  Name& name = names_.try_emplace(std::string(path)).first->second;
  name.not_later.push_back(std::exchange(name.now, std::move(file)));
}

void DiskNames::sync_folder_of(std::string_view path) {
  const std::string_view folder = folder_of(path);
  for (auto name = names_.lower_bound(folder); name != names_.end() && name->first.starts_with(folder);) {
    const bool in_it = folder_of(name->first) == folder;
    if (in_it) name->second.not_later.clear();
    name = in_it && !name->second.now ? names_.erase(name) : std::next(name);
  }
}

void DiskNames::lose_power(std::string_view prefix, const Draw& draw) {
  for (auto entry = names_.lower_bound(prefix); entry != names_.end() && entry->first.starts_with(prefix);) {
    Name& name = entry->second;
    if (!name.not_later.empty()) {
      // The stream goes by a file's number: a path may hold a folder's name that is another one in each process.
      const auto named = std::ranges::find_if(name.not_later, [](const auto& file) { return file != nullptr; });
      const DiskFile& one = named == name.not_later.end() ? *name.now : **named;
      Draw of_name = draw.fork("name", one.number());
      const std::uint64_t found = of_name.below(name.not_later.size() + 1);
      if (found < name.not_later.size()) name.now = name.not_later[found];
      name.not_later.clear();
    }
    if (name.now) {
      Draw of_bytes = draw.fork("bytes", name.now->number());
      name.now->lose_power(of_bytes);
    }
    entry = name.now ? std::next(entry) : names_.erase(entry);
  }
}

}  // namespace semel::sim
