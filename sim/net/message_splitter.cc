// message_splitter.cc: head, then body by count, by chunks or until the end.
#include "sim/net/message_splitter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace semel::sim {
namespace {

constexpr std::size_t kHeadMax = 256 * 1024;
constexpr std::size_t kBodyMax = 16 * 1024 * 1024;
constexpr std::size_t kLineMax = 4096;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::size_t MessageSplitter::take(std::string_view bytes) {
  event_ = Event::none;
  std::size_t taken = 0;
  while (event_ == Event::none && phase_ != Phase::lost) {
    if (phase_ == Phase::complete) {
      phase_ = Phase::head;
      event_ = Event::message;
      break;
    }
    const std::string_view rest = bytes.substr(taken);
    if (rest.empty()) break;
    taken += phase_ == Phase::head ? take_head(rest) : take_body(rest);
  }
  if (phase_ == Phase::lost) event_ = Event::lost;
  return taken;
}

MessageSplitter::Event MessageSplitter::end() {
  event_ = Event::none;
  if (phase_ == Phase::until_end) {
    event_ = Event::message;
  } else if (!between_messages()) {
    event_ = Event::lost;
  }
  phase_ = Phase::lost;
  return event_;
}

std::size_t MessageSplitter::take_head(std::string_view bytes) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t before = head_.size();
  std::optional<std::string_view> head;
  std::size_t taken = bytes.size();
  if (before == 0) {
    const std::size_t at = bytes.find(kEnd);
    if (at != std::string_view::npos) {
      taken = at + kEnd.size();
      head = bytes.substr(0, at);
    }
  } else {
    head_ += bytes;
    const std::size_t at = head_.find(kEnd, before < 3 ? 0 : before - 3);
    if (at != std::string::npos) {
      taken = at + kEnd.size() - before;
      head = std::string_view(head_).substr(0, at);
    }
  }
  if (!head) {
    if (before == 0) head_ = bytes;
    if (head_.size() > kHeadMax) lose();
    return taken;
  }
  if (!read_head(*head) || !frame()) {
    lose();
  }
  head_.clear();
  return taken;
}

bool MessageSplitter::read_head(std::string_view head) {
  headers.clear();
  body.clear();
  const std::size_t first_end = std::min(head.find("\r\n"), head.size());
  if (!read_start_line(head.substr(0, first_end))) return false;
  for (std::size_t at = first_end + 2; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    headers.emplace_back(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
    at = end + 2;
  }
  return true;
}

bool MessageSplitter::read_start_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  if (of_ == Of::answers) {
    const auto code = number(line.substr(space + 1, 3), 10);
    if (!line.starts_with("HTTP/1.") || !code || *code < 100) return false;
    status = static_cast<int>(*code);
    return true;
  }
  const std::size_t second = line.find(' ', space + 1);
  if (second == std::string_view::npos || !line.substr(second + 1).starts_with("HTTP/1.")) return false;
  method = line.substr(0, space);
  target = line.substr(space + 1, second - space - 1);
  return true;
}

// What follows the head. False: two lengths that differ, or a length and chunks.
bool MessageSplitter::frame() {
  if (of_ == Of::answers && status < 200) return status != 101;  // interim: as if it had not been there
  event_ = Event::head;
  bool chunked = false;
  std::optional<std::string_view> length;
  for (const auto& [name, value] : headers) {
    if (name == "transfer-encoding") {
      if (lower(value) != "chunked") return false;
      chunked = true;
    } else if (name == "content-length") {
      if (length && *length != value) return false;
      length = value;
    }
  }
  if (chunked && length) return false;
  const bool bodiless = of_ == Of::answers && (std::exchange(without_body_, false) || status == 204 || status == 304);
  if (bodiless) {
    phase_ = Phase::complete;
  } else if (chunked) {
    phase_ = Phase::chunk_size;
  } else if (length) {
    const auto count = number(*length, 10);
    if (!count) return false;
    left_ = *count;
    phase_ = left_ == 0 ? Phase::complete : Phase::counted;
  } else {
    phase_ = of_ == Of::requests ? Phase::complete : Phase::until_end;
  }
  return true;
}

std::size_t MessageSplitter::take_body(std::string_view bytes) {
  switch (phase_) {
    case Phase::counted:
    case Phase::chunk: {
      const std::size_t count = std::min<std::uint64_t>(left_, bytes.size());
      body += bytes.substr(0, count);
      left_ -= count;
      if (left_ == 0) phase_ = phase_ == Phase::chunk ? Phase::chunk_end : Phase::complete;
      if (body.size() > kBodyMax) lose();
      return count;
    }
    case Phase::until_end:
      body += bytes;
      if (body.size() > kBodyMax) lose();
      return bytes.size();
    case Phase::chunk_size:
    case Phase::chunk_end:
    case Phase::trailer:
      return take_line(bytes);
    case Phase::head:
    case Phase::complete:
    case Phase::lost:
      break;
  }
  std::unreachable();
}

std::size_t MessageSplitter::take_line(std::string_view bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t taken = newline == std::string_view::npos ? bytes.size() : newline + 1;
  line_ += bytes.substr(0, taken);
  if (line_.size() > kLineMax) lose();
  if (newline == std::string_view::npos || lost()) return taken;
  const std::string line = std::exchange(line_, {});
  if (!line.ends_with("\r\n")) {
    lose();
    return taken;
  }
  const std::string_view text = std::string_view(line).substr(0, line.size() - 2);
  if (phase_ == Phase::trailer) {
    if (text.empty()) phase_ = Phase::complete;
  } else if (phase_ == Phase::chunk_end) {
    phase_ = Phase::chunk_size;
    if (!text.empty()) lose();
  } else {
    const auto size = number(trim(text.substr(0, text.find(';'))), 16);
    if (!size) {
      lose();
    } else {
      left_ = *size;
      phase_ = left_ == 0 ? Phase::trailer : Phase::chunk;
    }
  }
  return taken;
}

void MessageSplitter::lose() {
  phase_ = Phase::lost;
  event_ = Event::lost;
  head_.clear();
  line_.clear();
}

}  // namespace semel::sim
