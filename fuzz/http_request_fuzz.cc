// http_request_fuzz.cc: any division of the same bytes is the same request; what is taken is bounded, free of doubt,
// and reads the same when it is written down again.
#include <fmt/format.h>

#include <string>
#include <tuple>

#include "fuzz/fuzz.h"
#include "fuzz/pieces.h"
#include "http/request_reader.h"

namespace semel::fuzz {
namespace {

using http::RequestReader;
using State = RequestReader::State;

constexpr std::size_t kPipelineMax = 64;
constexpr http::RequestLimits kRoomy{.headers = {.bytes = 2048, .lines = 32}, .body_max = 1024};
constexpr http::RequestLimits kTight{.headers = {.bytes = 96, .lines = 3}, .body_max = 8};

struct Reading {
  State state;
  int refusal;
  bool keeps_connection;
  std::size_t taken;
  HttpRequest request;
};

bool operator==(const HttpRequest& a, const HttpRequest& b) {
  const auto members = [](const HttpRequest& r) { return std::tie(r.method, r.path, r.query, r.headers, r.body); };
  return members(a) == members(b);
}

bool operator==(const Reading& a, const Reading& b) {
  const auto members = [](const Reading& r) { return std::tie(r.state, r.refusal, r.keeps_connection, r.taken); };
  return members(a) == members(b) && a.request == b.request;
}

Reading read(std::string_view bytes, const http::RequestLimits& limits, PieceSize size) {
  RequestReader reader(limits);
  const std::size_t taken = feed(reader, bytes, size);
  SEMEL_CHECK(reader.state() != State::reading || taken == bytes.size());
  SEMEL_CHECK(reader.any_byte() == !bytes.empty());
  Reading reading{.state = reader.state(),
                  .refusal = reader.refusal(),
                  .keeps_connection = reader.keeps_connection(),
                  .taken = taken,
                  .request = {}};
  if (reading.state == State::complete) reading.request = reader.take_request();
  return reading;
}

bool is_framing(std::string_view name) { return name == "content-length" || name == "transfer-encoding"; }

void check_refusal(const Reading& reading) {
  SEMEL_CHECK(reading.refusal == 400 || reading.refusal == 413 || reading.refusal == 417 || reading.refusal == 431);
  SEMEL_CHECK(!reading.keeps_connection);
}

void check_request(const HttpRequest& request) {
  const auto is_visible = [](char c) { return c > 0x20 && c < 0x7F; };
  SEMEL_CHECK(http::is_token(request.method));
  SEMEL_CHECK(request.path.starts_with('/'));
  SEMEL_CHECK(std::ranges::all_of(request.path + request.query, is_visible));
  SEMEL_CHECK(!request.path.contains('?'));
  SEMEL_CHECK(request.headers.size() <= kRoomy.headers.lines);
  SEMEL_CHECK(request.body.size() <= kRoomy.body_max);
  for (const auto& [name, value] : request.headers) {
    SEMEL_CHECK(http::is_token(name));
    SEMEL_CHECK(name == http::to_lower(name));
    SEMEL_CHECK(http::is_field_value(value));
    SEMEL_CHECK(!value.contains('\r') && !value.contains('\n') && !value.contains('\0'));
  }
  SEMEL_CHECK(request.header_lines("host").size() == 1);
  const std::size_t framings =
      request.header_lines("content-length").size() + request.header_lines("transfer-encoding").size();
  SEMEL_CHECK(framings <= 1);
  SEMEL_CHECK(framings == 1 || request.body.empty());
}

// With what says where the body ends, and the body, given anew.
std::string written(const HttpRequest& request, const std::string& framing, const std::string& body) {
  std::string text = request.method + " " + request.path + (request.query.empty() ? "" : "?" + request.query);
  text += " HTTP/1.1\r\n";
  for (const auto& [name, value] : request.headers) text += (is_framing(name) ? framing : name + ":" + value) + "\r\n";
  return text + "\r\n" + body;
}

std::string in_chunks(std::string_view body, Random& random) {
  std::string chunks;
  while (!body.empty()) {
    const std::string_view chunk = body.substr(0, 1 + random.below(20));
    chunks +=
        fmt::format("{:0{}x}{}\r\n{}\r\n", chunk.size(), 1 + random.below(8), random.below(4) == 0 ? ";x" : "", chunk);
    body.remove_prefix(chunk.size());
  }
  return chunks + "0\r\n\r\n";
}

HttpRequest without_framing(HttpRequest request) {
  std::erase_if(request.headers, [](const auto& header) { return is_framing(header.first); });
  return request;
}

void check_written(const HttpRequest& request, const std::string& text, const http::RequestLimits& limits) {
  const Reading again = read(text, limits, at_once());
  SEMEL_CHECK(again.state == State::complete);
  SEMEL_CHECK(again.taken == text.size());
  SEMEL_CHECK(without_framing(again.request) == without_framing(request));
}

void check_one(std::string_view bytes, const Reading& whole, Random& random) {
  if (whole.state == State::refused) check_refusal(whole);
  if (whole.state != State::complete) return;
  check_request(whole.request);
  const HttpRequest& request = whole.request;
  const std::string length = "content-length:" + std::to_string(request.body.size());
  check_written(request, written(request, length, request.body), kRoomy);
  // Chunks take room of the header budget.
  http::RequestLimits roomier = kRoomy;
  roomier.headers.bytes *= 4;
  if (!request.body.empty())
    check_written(request, written(request, "transfer-encoding:chunked", in_chunks(request.body, random)), roomier);
  // Nothing behind a request says anything about it.
  SEMEL_CHECK(read(bytes.substr(0, whole.taken), kRoomy, at_once()) == whole);
}

}  // namespace

void http_request(std::string_view bytes) {
  SeededRandom random = chance_of(bytes);
  for (std::size_t n = 0; n < kPipelineMax; ++n) {
    const Reading whole = read(bytes, kRoomy, at_once());
    SEMEL_CHECK(read(bytes, kRoomy, byte_by_byte()) == whole);
    for (int division = 0; division < 3; ++division) SEMEL_CHECK(read(bytes, kRoomy, drawn(random)) == whole);
    check_one(bytes, whole, random);
    const Reading tight = read(bytes, kTight, drawn(random));
    SEMEL_CHECK(tight.state != State::complete || tight == whole);
    if (whole.state != State::complete) return;
    SEMEL_CHECK(whole.taken > 0);
    bytes.remove_prefix(whole.taken);
  }
}

}  // namespace semel::fuzz
