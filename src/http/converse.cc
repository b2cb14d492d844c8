// converse.cc: write, then read.
#include "http/converse.h"

#include <array>
#include <span>
#include <utility>

#include "base/failpoint.h"
#include "base/probe.h"

namespace semel::http {
namespace {

constexpr std::size_t kReadSize = 4096;

Ended ended_by(const ResponseReader& response, bool leftover) {
  switch (response.state()) {
    case ResponseReader::State::reading:
      return Ended::lost;
    case ResponseReader::State::complete:
      return leftover ? Ended::leftover : Ended::complete;
    case ResponseReader::State::over_cap:
      return Ended::over_cap;
    case ResponseReader::State::malformed:
      return Ended::malformed;
  }
  std::unreachable();
}

// A success means nothing for a request that did not get there whole; a refusal stands, and its connection goes.
Ended ended_after_a_cut_request(const ResponseReader& response) {
  if (response.head_complete() && response.status() / 100 == 2) return Ended::lost;
  return ended_by(response, /*leftover=*/true);
}

}  // namespace

Co<Ended> converse(Stream& stream, std::string_view request, ResponseReader& response, Cancel& cancel) {
  using Written = Result<Nothing>;
  const Written written =
      co_await call<Written>([&](Done<Written> done) { stream.start_write(request, cancel, std::move(done)); });
  probe::sometimes<"client.request_not_taken_in_time">(!written && cancel.requested());
  probe::sometimes<"client.reads_after_a_broken_write">(!written && !cancel.requested());
  if (!written && cancel.requested()) co_return Ended::timed_out;
  if (written) failpoint("send.request_done");

  std::array<char, kReadSize> buffer;
  while (true) {
    using Read = Result<std::size_t>;
    const Read read =
        co_await call<Read>([&](Done<Read> done) { stream.start_read(std::span(buffer), cancel, std::move(done)); });
    if (!read) co_return cancel.requested() ? Ended::timed_out : Ended::lost;
    if (*read == 0) {
      response.end();
      co_return written ? ended_by(response, false) : ended_after_a_cut_request(response);
    }
    const std::string_view bytes(buffer.data(), *read);
    const std::size_t taken = response.take(bytes);
    if (response.state() != ResponseReader::State::reading)
      co_return written ? ended_by(response, taken < bytes.size()) : ended_after_a_cut_request(response);
  }
}

}  // namespace semel::http
