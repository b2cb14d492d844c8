// ledger.cc: one file, appended to and synced.
#include "cli/listen/ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/json.h"

namespace semel::cli {
namespace {

constexpr std::int64_t kTailMax = 64 * 1024;  // far more than one line

std::string why(const std::string& path) { return path + ": " + std::strerror(errno); }

Result<std::int64_t> effect_no_of(std::string_view line) {
  const Result<JsonDocument> document = parse_json(line);
  const std::optional<JsonValue> member = document && document->root().kind() == JsonKind::object
                                              ? document->root().find("effect_no")
                                              : std::optional<JsonValue>();
  const std::optional<std::int64_t> number = member ? member->integer() : std::nullopt;
  if (!number) return fail(Fault::corrupt, "the last line of the ledger is not one of ours");
  return *number;
}

struct End {
  std::int64_t size;  // of the whole lines
  std::int64_t last_effect_no;
};

Result<End> find_end(std::int64_t size, std::string_view tail) {
  const std::size_t newline = tail.rfind('\n');
  if (newline == std::string_view::npos) {
    if (static_cast<std::int64_t>(tail.size()) < size) return fail(Fault::corrupt, "the ledger does not end in lines");
    return End{0, 0};
  }
  const std::int64_t whole = size - static_cast<std::int64_t>(tail.size() - newline - 1);
  const std::string_view lines = tail.substr(0, newline);
  const std::size_t before = lines.rfind('\n');
  SEMEL_TRY(last, effect_no_of(before == std::string_view::npos ? lines : lines.substr(before + 1)));
  return End{whole, last};
}

}  // namespace

Result<Ledger> Ledger::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(Fault::unavailable, why(path));
  Ledger ledger(descriptor, 0, 0);
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return fail(Fault::unavailable, why(path));
  std::string tail(static_cast<std::size_t>(std::min<std::int64_t>(status.st_size, kTailMax)), '\0');
  const auto tail_size = static_cast<std::int64_t>(tail.size());
  if (pread(descriptor, tail.data(), tail.size(), status.st_size - tail_size) != tail_size)
    return fail(Fault::unavailable, why(path));
  SEMEL_TRY(end, find_end(status.st_size, tail));
  if (end.size != status.st_size && ftruncate(descriptor, end.size) != 0) return fail(Fault::unavailable, why(path));
  ledger.size_ = end.size;
  ledger.last_effect_no_ = end.last_effect_no;
  return ledger;
}

Ledger::~Ledger() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<void> Ledger::append(std::string_view lines, std::int64_t last_effect_no) {
  std::size_t done = 0;
  while (done < lines.size()) {
    const ssize_t written = pwrite(descriptor_, lines.data() + done, lines.size() - done,
                                   static_cast<off_t>(size_ + static_cast<std::int64_t>(done)));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const std::string reason = why("the ledger");
      if (ftruncate(descriptor_, size_) != 0) return fail(Fault::unknown_outcome, why("the ledger"));
      return fail(Fault::unavailable, reason);
    }
    done += static_cast<std::size_t>(written);
  }
  if (fdatasync(descriptor_) != 0) return fail(Fault::unknown_outcome, why("the ledger"));
  size_ += static_cast<std::int64_t>(lines.size());
  last_effect_no_ = last_effect_no;
  return {};
}

}  // namespace semel::cli
