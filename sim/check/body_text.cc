// body_text.cc: finding members by their names as they are written.
#include "sim/check/body_text.h"

#include <charconv>

namespace semel::sim {
namespace {

constexpr std::string_view kDelivery = ",\"delivery\":{";
constexpr std::string_view kData = ",\"data\":";

// What stands behind `name` up to a comma or the end of the object.
std::optional<std::string_view> value_behind(std::string_view object, std::string_view name) {
  const std::size_t at = object.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = object.substr(at + name.size());
  return rest.substr(0, rest.find_first_of(",}"));
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t number_in_data(std::string_view data) {
  constexpr std::string_view kNumber = "{\"n\":";
  if (!data.starts_with(kNumber)) return 0;
  data.remove_prefix(kNumber.size());
  return whole_number(data.substr(0, data.find_first_of(",}"))).value_or(0);
}

std::uint64_t number_in_envelope(std::string_view envelope) {
  const std::size_t at = envelope.find(kData);
  return at == std::string_view::npos ? 0 : number_in_data(envelope.substr(at + kData.size()));
}

std::optional<SplitBody> split_body(std::string_view body) {
  const std::size_t at = body.find(kDelivery);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + kDelivery.size() - 1;
  const std::size_t end = body.find('}', begin);
  if (end == std::string_view::npos || !body.substr(end + 1).starts_with(kData)) return std::nullopt;
  SplitBody split{.before = body.substr(0, at),
                  .delivery = body.substr(begin, end + 1 - begin),
                  .behind = body.substr(end + 1),
                  .endpoint = {},
                  .after = {}};
  std::string_view endpoint = value_behind(split.delivery, "\"endpoint\":").value_or("");
  if (endpoint.size() >= 2) split.endpoint = endpoint.substr(1, endpoint.size() - 2);
  split.round =
      static_cast<std::uint32_t>(whole_number(value_behind(split.delivery, "\"round\":").value_or("")).value_or(0));
  if (const auto after = value_behind(split.delivery, "\"after\":")) split.after = whole_number(*after);
  return split;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace semel::sim
