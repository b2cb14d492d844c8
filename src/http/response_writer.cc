// response_writer.cc: writing responses.
#include "http/response_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "http/fields.h"

namespace semel::http {
namespace {

bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOurs = {"content-length", "transfer-encoding", "connection", "date"};
  return std::ranges::any_of(kOurs, [&](std::string_view ours) { return equal_ignoring_case(name, ours); });
}

bool is_writable(const HttpResponse& response) {
  return response.status >= 200 && response.status <= 599 &&
         std::ranges::all_of(response.headers, [](const auto& header) {
           return is_token(header.first) && is_field_value(header.second) && !is_ours(header.first);
         });
}

}  // namespace

std::string text_of(const HttpResponse& response, const ResponseFrame& frame) {
  if (!is_writable(response)) return text_of(HttpResponse{.status = 500}, frame);
  const bool bodiless = response.status == 204 || response.status == 304;
  std::string text;
  text.reserve(256 + response.body.size());
  fmt::format_to(std::back_inserter(text), "HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                 reason_phrase(response.status), http_date(frame.now));
  if (!bodiless) fmt::format_to(std::back_inserter(text), "Content-Length: {}\r\n", response.body.size());
  if (frame.closes) text += "Connection: close\r\n";
  for (const auto& [name, value] : response.headers) {
    text += name;
    text += ": ";
    text += value;
    text += "\r\n";
  }
  text += "\r\n";
  if (!bodiless && !frame.without_body) text += response.body;
  return text;
}

const char* reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 424:
      return "Failed Dependency";
    case 425:
      return "Too Early";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

std::string http_date(WallTime time) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds(time.ms)};
  const sys_days day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(at - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[weekday(day).c_encoding()],
                     static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

}  // namespace semel::http
