// chart.cc: lanes and arrows.
#include "sim/world/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

namespace semel::sim {
namespace {

constexpr std::size_t kWhole = 40;     // a story of so many lines is told whole
constexpr std::size_t kAtTheEnd = 10;  // of a longer one
constexpr std::size_t kIdDigits = 32;

struct Kind {
  std::string_view prefix;
  char letter;
};
constexpr std::array<Kind, 2> kKinds{{{"evt_", 'e'}, {"ep_", 'p'}}};

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The id that begins at `at`, or nothing.
std::optional<Kind> id_at(std::string_view text, std::size_t at) {
  for (const Kind& kind : kKinds) {
    const std::string_view digits = text.substr(std::min(text.size(), at + kind.prefix.size()), kIdDigits);
    if (text.substr(at).starts_with(kind.prefix) && digits.size() == kIdDigits && std::ranges::all_of(digits, is_hex))
      return kind;
  }
  return std::nullopt;
}

// Gives ids short names.
class Names {
 public:
  std::string shorten(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::optional<Kind> kind = id_at(text, at);
      const std::size_t size = kind ? kind->prefix.size() + kIdDigits : 1;
      out += kind ? name_of(text.substr(at, size), *kind) : text.substr(at, size);
      at += size;
    }
    return out;
  }

  // "e1 is evt_..", for each id in `text`.
  std::string legend(std::string_view text) {
    std::map<std::string, std::string> ids;
    for (std::size_t at = 0; at < text.size(); ++at)
      if (const std::optional<Kind> kind = id_at(text, at)) {
        const std::string_view id = text.substr(at, kind->prefix.size() + kIdDigits);
        ids[name_of(id, *kind)] = id;
      }
    std::string out;
    for (const auto& [name, id] : ids) out += fmt::format("{} is {}\n", name, id);
    return out;
  }

 private:
  std::string name_of(std::string_view id, const Kind& kind) {
    std::string& name = names_[std::string(id)];
    if (name.empty()) name = fmt::format("{}{}", kind.letter, ++given_[kind.letter]);
    return name;
  }

  std::map<std::string, std::string> names_;
  std::map<char, int> given_;
};

bool is_part_of_a_name(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '_'; }

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (is_part_of_a_name(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  // A name has a number in it; a mere number names nothing.
  std::erase_if(words, [](const std::string& word) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return std::ranges::none_of(word, is_digit) || std::ranges::all_of(word, is_digit);
  });
  return words;
}

bool share_one(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& word) { return std::ranges::find(b, word) != b.end(); });
}

// From left to right.
int rank(std::string_view owner) {
  constexpr std::array<std::string_view, 5> kRight{"server", "store", "receiver", "hostile", "fault"};
  for (std::size_t i = 0; i < kRight.size(); ++i)
    if (owner.starts_with(kRight[i])) return static_cast<int>(i) + 1;
  return 0;
}

class Lanes {
 public:
  void add(const std::string& owner) {
    if (!owner.empty() && std::ranges::find(owners_, owner) == owners_.end()) owners_.push_back(owner);
  }
  void settle() {
    std::ranges::sort(owners_, {}, [](const std::string& owner) { return std::pair(rank(owner), owner); });
    begins_.assign(1, 0);
    for (const std::string& owner : owners_)
      begins_.push_back(begins_.back() + std::max<std::size_t>(9, owner.size() + 2));
  }
  std::string head() const {
    std::string text(begins_.back(), ' ');
    for (std::size_t i = 0; i < owners_.size(); ++i) text.replace(begins_[i], owners_[i].size(), owners_[i]);
    return text;
  }
  std::string arrow(const std::string& from, const std::string& to) const {
    std::string text(begins_.back(), ' ');
    for (std::size_t i = 0; i < owners_.size(); ++i) text[begins_[i]] = '|';
    const std::size_t a = begin_of(from);
    if (to.empty()) {
      text[a] = '*';
      return text;
    }
    const std::size_t b = begin_of(to);
    for (std::size_t i = std::min(a, b) + 1; i < std::max(a, b); ++i) text[i] = '-';
    if (b > a) text[b - 1] = '>';
    if (b < a) text[b + 1] = '<';
    return text;
  }

 private:
  std::size_t begin_of(const std::string& owner) const {
    return begins_[static_cast<std::size_t>(std::ranges::find(owners_, owner) - owners_.begin())];
  }

  std::vector<std::string> owners_;
  std::vector<std::size_t> begins_;  // and where the last one ends
};

std::string seconds(MonotonicTime at) {
  const std::int64_t ms = at.ns / 1'000'000;
  return fmt::format("{:>10}.{:03}", ms / 1'000, ms % 1'000);
}

}  // namespace

void Chart::add(MonotonicTime at, std::string_view from, std::string_view to, std::string what) {
  push({Line::Kind::happened, at, std::string(from), std::string(to), std::move(what)});
}

void Chart::add_violation(MonotonicTime at, std::string_view checker, std::string text) {
  push({Line::Kind::violated, at, std::string(checker), "", std::move(text)});
}

void Chart::push(Line line) {
  if (lines_max_ == 0) return;
  lines_.push_back(std::move(line));
  if (lines_.size() > lines_max_) lines_.pop_front();
}

std::string Chart::draw() const {
  Names names;
  std::vector<Line> lines(lines_.begin(), lines_.end());
  for (Line& line : lines) line.what = names.shorten(line.what);

  const auto violation = std::ranges::find(lines, Line::Kind::violated, &Line::kind);
  const std::vector<std::string> about =
      violation == lines.end() ? std::vector<std::string>() : names_in(violation->what);
  const auto is_told = [&](std::size_t i) {
    const Line& line = lines[i];
    return lines.size() <= kWhole || violation == lines.end() || i + kAtTheEnd >= lines.size() ||
           line.kind == Line::Kind::violated || line.from == "fault" || share_one(names_in(line.what), about);
  };

  Lanes lanes;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (is_told(i) && lines[i].kind == Line::Kind::happened) {
      lanes.add(lines[i].from);
      lanes.add(lines[i].to);
    }
  lanes.settle();

  std::string text = fmt::format("{:>14}  {}\n", "seconds", lanes.head());
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_told(i)) {
      ++left_out;
      continue;
    }
    if (left_out > 0) text += fmt::format("{:>14}  (left out, about other things: {})\n", "..", left_out);
    left_out = 0;
    const Line& line = lines[i];
    if (line.kind == Line::Kind::violated)
      text += fmt::format("{}  ===== {}: {}\n", seconds(line.at), line.from, line.what);
    else
      text += fmt::format("{}  {} {}\n", seconds(line.at), lanes.arrow(line.from, line.to), line.what);
  }
  for (const Line& line : lines_)
    if (line.kind == Line::Kind::violated) text += names.legend(line.what);
  return text;
}

}  // namespace semel::sim
