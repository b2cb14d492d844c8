// workload.h: what the demo sends: synthetic shipment events, or the JSON files of a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace semel::demo {

struct PlannedEvent {
  std::string type;
  std::string ordering_key;
  std::string data;         // a JSON value without outer white space
  std::string data_sha256;  // lower-case hexadecimal
  std::string idempotency_key;
};

std::string sha256_hex(std::string_view bytes);

std::vector<PlannedEvent> shipments(std::size_t events, std::size_t ordering_keys, std::uint64_t seed);

// One event per *.json below `folder`, in the order of their paths. The type is the path, made of what a type may
// contain; the ordering key is its folder.
Result<std::vector<PlannedEvent>> files_of(const std::filesystem::path& folder);

// The body of POST /v1/events.
std::string submission_of(const PlannedEvent& event);

}  // namespace semel::demo
