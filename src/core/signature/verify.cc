// verify.cc: the receiver's half. Nothing of a body is used before this has accepted it.
#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/id.h"
#include "core/signature/crypto.h"
#include "core/signature/message.h"
#include "core/signature/signature.h"

namespace semel::signature {
namespace {

constexpr int kEntriesMax = 16;
constexpr std::size_t kTimestampDigitsMax = 12;

std::optional<std::int64_t> read_timestamp(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > kTimestampDigitsMax || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds;
}

bool inside_window(std::int64_t seconds, WallTime now) {
  const std::int64_t age = whole_seconds(now) - seconds;
  return -kToleranceSeconds <= age && age <= kToleranceSeconds;
}

struct Entry {
  Scheme scheme;
  std::string signature;  // of the scheme's size
};

// nullopt: an unknown version, or nothing that could be a signature of the known one.
std::optional<Entry> read_entry(std::string_view text) {
  const std::size_t comma = text.find(',');
  const std::string_view version = text.substr(0, comma);
  if (comma == std::string_view::npos || (version != kHmacVersion && version != kEd25519Version)) return std::nullopt;
  const Scheme scheme = version == kHmacVersion ? Scheme::hmac_sha256 : Scheme::ed25519;
  auto signature = from_base64(text.substr(comma + 1));
  if (!signature || signature->size() != (scheme == Scheme::ed25519 ? kEd25519SignatureSize : kHmacSize))
    return std::nullopt;
  return Entry{scheme, *std::move(signature)};
}

std::vector<Entry> read_entries(std::string_view header) {
  std::vector<Entry> entries;
  for (int looked_at = 0; looked_at < kEntriesMax; ++looked_at) {
    const std::size_t space = header.find(' ');
    if (auto entry = read_entry(header.substr(0, space))) entries.push_back(*std::move(entry));
    if (space == std::string_view::npos) break;
    header.remove_prefix(space + 1);
  }
  return entries;
}

// Only signatures of the key's own scheme are compared with it; an HMAC is computed once per key, not once per entry.
bool matches(const VerifierKey& key, const std::vector<Entry>& entries, const SignedHeaders& headers,
             std::string_view body) {
  if (key.scheme == Scheme::hmac_sha256) {
    const HmacTag expected = Hmac(key.bytes).tag({headers.id, ".", headers.timestamp, ".", body});
    return std::ranges::any_of(entries, [&](const Entry& entry) {
      return entry.scheme == key.scheme && tags_equal(expected, entry.signature);
    });
  }
  const std::string message = join_message(headers.id, headers.timestamp, body);
  return std::ranges::any_of(entries, [&](const Entry& entry) {
    return entry.scheme == key.scheme && verify_ed25519(key.bytes, message, entry.signature);
  });
}

}  // namespace

const char* name_of(Rejection rejection) {
  switch (rejection) {
    case Rejection::id_missing:
      return "id_missing";
    case Rejection::timestamp_malformed:
      return "timestamp_malformed";
    case Rejection::timestamp_outside:
      return "timestamp_outside";
    case Rejection::signature_missing:
      return "signature_missing";
    case Rejection::no_match:
      return "no_match";
  }
  std::unreachable();
}

std::optional<Rejection> verify(const std::vector<VerifierKey>& keys, const SignedHeaders& headers,
                                std::string_view body, WallTime now) {
  if (!is_valid_id(headers.id)) return Rejection::id_missing;
  const auto seconds = read_timestamp(headers.timestamp);
  if (!seconds) return Rejection::timestamp_malformed;
  if (!inside_window(*seconds, now)) return Rejection::timestamp_outside;
  if (headers.signature.empty()) return Rejection::signature_missing;
  const std::vector<Entry> entries = read_entries(headers.signature);
  const bool accepted = std::ranges::any_of(
      keys, [&](const VerifierKey& key) { return is_live(key.window, now) && matches(key, entries, headers, body); });
  return accepted ? std::nullopt : std::optional(Rejection::no_match);
}

}  // namespace semel::signature
