// sources.cc: NAME=FILE to keys.
#include "cli/listen/sources.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "edge/os/files.h"

namespace semel::cli {
namespace {

constexpr std::size_t kSecretFileMax = 16 * 1024;
constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

Result<std::vector<signature::VerifierKey>> read_keys(const std::string& file) {
  SEMEL_TRY(text, read_small_file(file, kSecretFileMax));
  std::vector<signature::VerifierKey> keys;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (line.empty()) continue;
    Result<signature::VerifierKey> key = signature::parse_verifier_key(line);
    if (!key) return fail(Fault::invalid, file + ": " + key.error().note);
    keys.push_back(*std::move(key));
  }
  if (keys.empty()) return fail(Fault::invalid, file + " holds no secret");
  return keys;
}

}  // namespace

Result<std::vector<client::InboxSource>> read_sources(const std::vector<std::string>& named) {
  std::vector<client::InboxSource> sources;
  for (const std::string& one : named) {
    const std::size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == one.size())
      return fail(Fault::invalid, "--source: expected NAME=SECRET_FILE");
    const std::string name = one.substr(0, equals);
    SEMEL_TRY(keys, read_keys(one.substr(equals + 1)));
    auto source = std::ranges::find(sources, name, &client::InboxSource::name);
    if (source == sources.end()) source = sources.insert(sources.end(), {.name = name, .keys = {}});
    source->keys.insert(source->keys.end(), std::move_iterator(keys.begin()), std::move_iterator(keys.end()));
  }
  return sources;
}

}  // namespace semel::cli
