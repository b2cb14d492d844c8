// request_reader.cc: head, then body.
#include "http/request_reader.h"

#include <algorithm>
#include <utility>

#include "base/probe.h"

namespace semel::http {
namespace {

constexpr std::string_view kVersion11 = " HTTP/1.1";
constexpr std::string_view kVersion10 = " HTTP/1.0";

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// RFC 3986: pchar, "/" and "?"; whether escapes are whole is for whoever decodes them.
bool is_absolute_path(std::string_view target) {
  constexpr std::string_view kOthers = "/?:@!$&'()*+,;=-._~%";
  return target.starts_with('/') &&
         std::ranges::all_of(target, [&](char c) { return is_alphanumeric(c) || kOthers.contains(c); });
}

bool is_host(std::string_view host) {
  constexpr std::string_view kOthers = ".-_:[]";
  return !host.empty() && std::ranges::all_of(host, [&](char c) { return is_alphanumeric(c) || kOthers.contains(c); });
}

bool is_oversized(const Framing& framing, std::size_t max) {
  const auto* length = std::get_if<Length>(&framing);
  return length && length->bytes > max;
}

bool has_content(const Framing& framing) {
  const auto* length = std::get_if<Length>(&framing);
  return std::holds_alternative<Chunked>(framing) || (length && length->bytes > 0);
}

}  // namespace

RequestReader::RequestReader(const RequestLimits& limits)
    : limits_(limits), head_(SectionReader::Kind::head, limits_.headers) {}

std::size_t RequestReader::take(std::string_view bytes) {
  any_byte_ = any_byte_ || !bytes.empty();
  std::size_t taken = 0;
  if (state_ == State::reading && !body_) take_head(bytes, taken);
  if (state_ == State::reading && body_ && taken < bytes.size()) {
    awaits_continue_ = false;
    taken += body_->take(bytes.substr(taken));
    follow_body();
  }
  return taken;
}

HttpRequest RequestReader::take_request() {
  request_.body = std::move(body_->kept());
  return std::move(request_);
}

void RequestReader::refuse(int status) {
  probe::sometimes<"request.malformed">(status == 400);
  probe::sometimes<"request.too_large">(status == 413);
  probe::sometimes<"request.head_over_budget">(status == 431);
  state_ = State::refused;
  refusal_ = status;
  keeps_connection_ = false;
}

void RequestReader::take_head(std::string_view bytes, std::size_t& taken) {
  taken += head_.take(bytes);
  switch (head_.state()) {
    case SectionReader::State::reading:
      break;
    case SectionReader::State::complete:
      read_head();
      break;
    case SectionReader::State::malformed:
      refuse(400);
      break;
    case SectionReader::State::over_budget:
      refuse(431);
      break;
  }
}

void RequestReader::read_head() {
  const std::optional<std::vector<Field>> fields = head_.fields();
  if (!fields || !read_request_line(head_.start_line())) return refuse(400);
  const std::optional<std::string_view> host = only_value(*fields, "host");
  if (!host || !is_host(*host)) return refuse(400);
  const std::optional<Framing> framing = framing_of(version_, *fields, NoBody{});
  if (!framing) return refuse(400);
  if (is_oversized(*framing, limits_.body_max)) return refuse(413);
  if (count_of(*fields, "expect") > 0) {
    const std::optional<std::string_view> expectation = only_value(*fields, "expect");
    if (!expectation || !equal_ignoring_case(*expectation, "100-continue")) return refuse(417);
    awaits_continue_ = version_ == HttpVersion::http11 && has_content(*framing);
  }
  keeps_connection_ = version_ == HttpVersion::http11 && !list_holds(*fields, "connection", "close");
  for (const Field& field : *fields) request_.headers.emplace_back(to_lower(field.name), field.value);
  body_.emplace(*framing, BodyLimits{.max = limits_.body_max, .kept = limits_.body_max}, limits_.headers);
  follow_body();
}

bool RequestReader::read_request_line(std::string_view line) {
  if (line.ends_with(kVersion11)) {
    version_ = HttpVersion::http11;
  } else if (line.ends_with(kVersion10)) {
    version_ = HttpVersion::http10;
  } else {
    return false;
  }
  line.remove_suffix(kVersion11.size());
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !is_token(line.substr(0, space))) return false;
  const std::string_view target = line.substr(space + 1);
  if (!is_absolute_path(target)) return false;
  const std::size_t question = target.find('?');
  request_.method = line.substr(0, space);
  request_.path = target.substr(0, question);
  if (question != std::string_view::npos) request_.query = target.substr(question + 1);
  return true;
}

void RequestReader::follow_body() {
  switch (body_->state()) {
    case BodyReader::State::reading:
      break;
    case BodyReader::State::complete:
      state_ = State::complete;
      break;
    case BodyReader::State::over_cap:
      refuse(413);
      break;
    case BodyReader::State::malformed:
      refuse(400);
      break;
  }
}

}  // namespace semel::http
