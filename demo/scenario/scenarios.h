// scenarios.h: the small cases, by name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scenario/story.h"

namespace semel::scenario {

struct Scenario {
  std::string_view name;
  std::string_view about;
  Result<void> (*play)(const std::string& semel, const std::filesystem::path& folder, Story& story);
};

std::span<const Scenario> scenarios();

// lost_ack.cc
Result<void> lost_ack(const std::string& semel, const std::filesystem::path& folder, Story& story);
// lost_dedup.cc
Result<void> lost_dedup(const std::string& semel, const std::filesystem::path& folder, Story& story);

}  // namespace semel::scenario
