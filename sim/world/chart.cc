// chart.cc: lanes and arrows.
#include "sim/world/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace semel::sim {
namespace {

constexpr std::size_t kColumn = 14;

}  // namespace

void Chart::add(MonotonicTime at, std::string_view from, std::string_view to, std::string what) {
  if (lines_max_ == 0) return;
  lines_.push_back({at, std::string(from), std::string(to), std::move(what)});
  if (lines_.size() > lines_max_) lines_.pop_front();
}

std::string Chart::draw() const {
  std::vector<std::string> owners;
  const auto column = [&](const std::string& owner) {
    const auto at = std::ranges::find(owners, owner);
    if (at != owners.end()) return static_cast<std::size_t>(at - owners.begin());
    owners.push_back(owner);
    return owners.size() - 1;
  };
  for (const Line& line : lines_) {
    column(line.from);
    if (!line.to.empty()) column(line.to);
  }
  std::string text = fmt::format("{:>14} ", "virtual s");
  for (const std::string& owner : owners) text += fmt::format("{:<{}}", owner.substr(0, kColumn - 1), kColumn);
  text += "\n";
  for (const Line& line : lines_) {
    std::string lanes(owners.size() * kColumn, ' ');
    for (std::size_t i = 0; i < owners.size(); ++i) lanes[i * kColumn] = '|';
    const std::size_t from = column(line.from) * kColumn;
    if (line.to.empty()) {
      lanes[from] = '*';
    } else {
      const std::size_t to = column(line.to) * kColumn;
      for (std::size_t i = std::min(from, to) + 1; i < std::max(from, to); ++i) lanes[i] = '-';
      if (to > from) lanes[to - 1] = '>';
      if (to < from) lanes[to + 1] = '<';
    }
    const std::int64_t us = line.at.ns / 1'000;
    text += fmt::format("{:>10}.{:03} {} {}\n", us / 1'000'000, us / 1'000 % 1'000, lanes, line.what);
  }
  return text;
}

}  // namespace semel::sim
