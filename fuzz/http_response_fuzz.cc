// http_response_fuzz.cc: any division of the same bytes is the same response; what is taken is bounded, and reads the
// same when it is written down again.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz.h"
#include "fuzz/pieces.h"
#include "http/response_reader.h"

namespace semel::fuzz {
namespace {

using http::ResponseReader;
using State = ResponseReader::State;
using To = ResponseReader::To;
using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr http::ResponseLimits kLimits{
    .headers = {.bytes = 2048, .lines = 32}, .interim_max = 4, .body = {.max = 1024, .kept = 256}};

struct Head {
  int status;
  Fields fields;
  bool operator==(const Head&) const = default;
};

struct Reading {
  State state;
  std::size_t taken;
  std::optional<Head> head;
  std::string body;
  bool keeps_connection;
  bool keeps_connection_before_end;
};

// How much of a malformed response is looked at may differ, and does not matter: the connection is closed.
bool alike(const Reading& a, const Reading& b) {
  return a.state == b.state && a.head == b.head && a.body == b.body && a.keeps_connection == b.keeps_connection &&
         a.keeps_connection_before_end == b.keeps_connection_before_end &&
         (a.state == State::malformed || a.taken == b.taken);
}

Reading read(std::string_view bytes, To to, PieceSize size) {
  ResponseReader reader(kLimits, to);
  Reading reading{};
  reading.taken = feed(reader, bytes, size);
  SEMEL_CHECK(reader.state() != State::reading || reading.taken == bytes.size());
  reading.keeps_connection_before_end = reader.keeps_connection();
  reader.end();
  reading.state = reader.state();
  reading.keeps_connection = reader.keeps_connection();
  if (!reader.head_complete()) return reading;
  reading.head = Head{reader.status(), {}};
  for (const http::Field& field : reader.fields()) reading.head->fields.emplace_back(field.name, field.value);
  reading.body = reader.body();
  return reading;
}

bool is_framing(std::string_view name) {
  const std::string lower = http::to_lower(name);
  return lower == "content-length" || lower == "transfer-encoding";
}

void check_bounds(const Reading& reading, To to) {
  SEMEL_CHECK(reading.head || reading.state == State::reading || reading.state == State::malformed);
  SEMEL_CHECK(reading.body.size() <= kLimits.body.kept);
  SEMEL_CHECK(!reading.keeps_connection || reading.state == State::complete);
  // What lasts until the connection closes does not keep it.
  SEMEL_CHECK(reading.keeps_connection == reading.keeps_connection_before_end);
  if (!reading.head) return;
  SEMEL_CHECK(reading.head->status >= 200 && reading.head->status <= 599);
  SEMEL_CHECK(reading.head->fields.size() <= kLimits.headers.lines);
  for (const auto& [name, value] : reading.head->fields) {
    SEMEL_CHECK(http::is_token(name));
    SEMEL_CHECK(http::is_field_value(value));
  }
  const bool no_body = to == To::head || reading.head->status == 204 || reading.head->status == 304;
  SEMEL_CHECK(!no_body || (reading.state == State::complete && reading.body.empty()));
}

// With a Content-Length in place of whatever said where the body ends, unless its end is the connection's.
std::string written(const Reading& reading) {
  std::string text = "HTTP/1.1 " + std::to_string(reading.head->status) + " \r\n";
  for (const auto& [name, value] : reading.head->fields)
    text += is_framing(name) ? "content-length:" + std::to_string(reading.body.size()) + "\r\n"
                             : name + ":" + value + "\r\n";
  return text + "\r\n" + reading.body;
}

Head without_framing(Head head) {
  std::erase_if(head.fields, [](const auto& field) { return is_framing(field.first); });
  return head;
}

void check_written(const Reading& whole, To to) {
  if (whole.state != State::complete || whole.body.size() == kLimits.body.kept) return;
  const Reading again = read(written(whole), to, at_once());
  SEMEL_CHECK(again.state == State::complete);
  SEMEL_CHECK(without_framing(*again.head) == without_framing(*whole.head));
  SEMEL_CHECK(again.body == whole.body);
}

}  // namespace

void http_response(std::string_view bytes) {
  SeededRandom random = chance_of(bytes);
  for (const To to : {To::other, To::head}) {
    const Reading whole = read(bytes, to, at_once());
    SEMEL_CHECK(alike(read(bytes, to, byte_by_byte()), whole));
    for (int division = 0; division < 3; ++division) SEMEL_CHECK(alike(read(bytes, to, drawn(random)), whole));
    check_bounds(whole, to);
    check_written(whole, to);
  }
}

}  // namespace semel::fuzz
