// kept.cc: reading the file of kept seeds.
#include "sim/run/kept.h"

#include <fmt/core.h>

#include <optional>

#include "sim/check/body_text.h"

namespace semel::sim {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string_view take_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line = trimmed(line.substr(word.size()));
  return word;
}

std::optional<StoreKind> store_named(std::string_view name) {
  for (const StoreKind store : {StoreKind::memory, StoreKind::disk})
    if (name == name_of(store)) return store;
  return std::nullopt;
}

std::optional<KeptSeed> parse_line(std::string_view line) {
  const std::optional<StoreKind> store = store_named(take_word(line));
  const std::optional<std::uint64_t> seed = whole_number(take_word(line));
  const std::string_view commit = take_word(line);
  if (!store || !seed || commit.empty() || line.empty()) return std::nullopt;
  return KeptSeed{.store = *store, .seed = *seed, .commit = std::string(commit), .cause = std::string(line)};
}

}  // namespace

Result<std::vector<KeptSeed>> parse_kept(std::string_view text) {
  std::vector<KeptSeed> kept;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
    if (line.empty()) continue;
    std::optional<KeptSeed> seed = parse_line(line);
    if (!seed)
      return std::unexpected(Error{Fault::invalid, fmt::format("line {} is not STORE SEED COMMIT CAUSE", number)});
    kept.push_back(*std::move(seed));
  }
  return kept;
}

}  // namespace semel::sim
