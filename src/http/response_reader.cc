// response_reader.cc: head, interim responses, body.
#include "http/response_reader.h"

#include <utility>

#include "base/probe.h"

namespace semel::http {
namespace {

constexpr std::string_view kHttp11 = "HTTP/1.1 ";
constexpr std::string_view kHttp10 = "HTTP/1.0 ";

// Whether bytes that are not a whole line yet can still become a status line.
bool may_become_status_line(std::string_view text) {
  const std::string_view begin = text.substr(0, kHttp11.size());
  return kHttp11.starts_with(begin) || kHttp10.starts_with(begin);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

ResponseReader::ResponseReader(const ResponseLimits& limits, To to) : limits_(limits), to_(to) {
  head_.emplace(SectionReader::Kind::head, limits_.headers);
}

std::size_t ResponseReader::take(std::string_view bytes) {
  any_byte_ = any_byte_ || !bytes.empty();
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ == State::reading && !body_) taken += take_head(bytes.substr(taken));
  if (state_ == State::reading && body_) {
    taken += body_->take(bytes.substr(taken));
    follow_body();
  }
  return taken;
}

void ResponseReader::end() {
  if (!body_) return;
  body_->end();
  follow_body();
}

bool ResponseReader::keeps_connection() const {
  return state_ == State::complete && version_ == HttpVersion::http11 && !until_close_ &&
         !list_holds(fields_, "connection", "close");
}

std::size_t ResponseReader::take_head(std::string_view bytes) {
  const std::size_t taken = head_->take(bytes);
  switch (head_->state()) {
    case SectionReader::State::reading:
      if (may_become_status_line(head_->text())) break;
      probe::reached<"response.is_not_http">();
      state_ = State::malformed;
      break;
    case SectionReader::State::complete:
      read_head();
      break;
    case SectionReader::State::malformed:
    case SectionReader::State::over_budget:
      probe::sometimes<"response.head_malformed">(head_->state() == SectionReader::State::malformed);
      probe::sometimes<"response.head_over_budget">(head_->state() == SectionReader::State::over_budget);
      state_ = State::malformed;
      break;
  }
  return taken;
}

void ResponseReader::read_head() {
  std::optional<std::vector<Field>> fields = head_->fields();
  if (!fields || !read_status_line() || status_ == 101) {
    probe::sometimes<"response.field_malformed">(!fields);
    probe::sometimes<"response.switches_protocols">(status_ == 101);
    state_ = State::malformed;
    return;
  }
  if (status_ < 200) {
    probe::reached<"response.interim">();
    if (++interim_ > limits_.interim_max) state_ = State::malformed;
    probe::sometimes<"response.too_many_interim">(state_ == State::malformed);
    head_.emplace(SectionReader::Kind::head, limits_.headers);
    return;
  }
  fields_ = *std::move(fields);
  std::optional<Framing> framing = framing_of(version_, fields_, UntilClose{});
  if (!framing) {
    probe::reached<"response.framing_malformed">();
    state_ = State::malformed;
    return;
  }
  if (status_ == 204 || status_ == 304 || to_ == To::head) framing = NoBody{};
  until_close_ = std::holds_alternative<UntilClose>(*framing);
  probe::sometimes<"response.has_no_body">(status_ == 204 || status_ == 304);
  probe::sometimes<"response.lasts_until_close">(until_close_);
  probe::sometimes<"response.chunked">(std::holds_alternative<Chunked>(*framing));
  probe::sometimes<"response.http10">(version_ == HttpVersion::http10);
  body_.emplace(*framing, limits_.body, limits_.headers);
  follow_body();
}

bool ResponseReader::read_status_line() {
  const std::string_view line = head_->start_line();
  if (line.starts_with(kHttp11)) {
    version_ = HttpVersion::http11;
  } else if (line.starts_with(kHttp10)) {
    version_ = HttpVersion::http10;
  } else {
    return false;
  }
  const std::string_view code = line.substr(kHttp11.size());
  if (code.size() < 4 || !is_digit(code[0]) || !is_digit(code[1]) || !is_digit(code[2]) || code[3] != ' ') return false;
  status_ = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
  return status_ >= 100 && status_ <= 599;
}

void ResponseReader::follow_body() {
  switch (body_->state()) {
    case BodyReader::State::reading:
      state_ = State::reading;
      break;
    case BodyReader::State::complete:
      state_ = State::complete;
      break;
    case BodyReader::State::over_cap:
      state_ = State::over_cap;
      break;
    case BodyReader::State::malformed:
      state_ = State::malformed;
      break;
  }
}

}  // namespace semel::http
