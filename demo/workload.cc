// workload.cc: shipments on their way, and files as they are.
#include "workload.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/bytes.h"
#include "base/check.h"
#include "base/json.h"
#include "base/random.h"

namespace semel::demo {
namespace {

constexpr std::array<std::string_view, 6> kSteps = {"created", "picked_up",        "in_transit",
                                                    "customs", "out_for_delivery", "delivered"};
constexpr std::array<std::string_view, 5> kPlaces = {"Surabaya", "Rotterdam", "Köln", "Ōsaka", "Valparaíso"};
constexpr std::size_t kTypeSegmentsMax = 8;
constexpr std::size_t kTypeBytesMax = 128;

bool is_type_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// A path without its extension as an event type: one segment per folder, other characters as '-'.
std::string type_of(const std::filesystem::path& relative) {
  std::string type;
  std::size_t segments = 0;
  for (const std::filesystem::path& part : std::filesystem::path(relative).replace_extension()) {
    std::string segment = part.string();
    for (char& c : segment) c = is_type_character(c) ? c : '-';
    if (segment.empty() || ++segments > kTypeSegmentsMax) continue;
    type += (type.empty() ? "" : ".") + segment;
  }
  type.resize(std::min(type.size(), kTypeBytesMax));
  while (type.ends_with('.')) type.pop_back();
  return type;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view white = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(white) - begin + 1));
}

PlannedEvent plan(std::string type, std::string ordering_key, std::string data, std::string idempotency_key) {
  std::string hash = sha256_hex(data);
  return {std::move(type), std::move(ordering_key), std::move(data), std::move(hash), std::move(idempotency_key)};
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[32];
  unsigned int size = 0;
  SEMEL_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) == 1);
  return to_hex(as_text({digest, size}));
}

std::vector<PlannedEvent> shipments(std::size_t events, std::size_t ordering_keys, std::uint64_t seed) {
  SeededRandom random(seed);
  std::vector<PlannedEvent> planned;
  for (std::size_t n = 0; n < events; ++n) {
    const std::size_t shipment = n % ordering_keys;
    const std::string_view step = kSteps[(n / ordering_keys) % kSteps.size()];
    const std::string_view place = kPlaces[random.below(kPlaces.size())];
    planned.push_back(
        plan(fmt::format("shipment.{}", step), fmt::format("shipment-{:04}", shipment),
             fmt::format(R"({{"shipment":"SHP-{:04}","step":"{}","place":"{}","weight_kg":{}.{},"number":{}}})",
                         shipment, step, place, 1 + random.below(400), random.below(10), n),
             fmt::format("demo-{}-{}", seed, n)));
  }
  return planned;
}

Result<std::vector<PlannedEvent>> files_of(const std::filesystem::path& folder) {
  std::error_code trouble;
  std::vector<std::filesystem::path> paths;
  for (std::filesystem::recursive_directory_iterator it(folder, trouble), end; !trouble && it != end;
       it.increment(trouble))
    if (it->is_regular_file() && it->path().extension() == ".json") paths.push_back(it->path());
  if (trouble) return fail(Fault::not_found, fmt::format("{}: {}", folder.string(), trouble.message()));
  if (paths.empty()) return fail(Fault::not_found, fmt::format("no *.json below {}", folder.string()));
  std::ranges::sort(paths);
  std::vector<PlannedEvent> planned;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::filesystem::path relative = path.lexically_relative(folder);
    const std::string type = type_of(relative);
    const std::string parent = relative.parent_path().string();
    planned.push_back(plan(type, parent.empty() ? "files" : parent.substr(0, 128), trimmed(bytes),
                           fmt::format("file-{}", planned.size())));
  }
  return planned;
}

std::string submission_of(const PlannedEvent& event) {
  JsonWriter json;
  json.object().member("type", event.type).member("ordering_key", event.ordering_key).key("data").raw(event.data).end();
  return json.take();
}

}  // namespace semel::demo
