// client.cc: the exchange of one sealed request.
#include "http/client.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/planted.h"
#include "base/probe.h"
#include "http/converse.h"
#include "http/deadline.h"

namespace semel::http {
namespace {

std::string text_of(const SealedRequest& request) {
  std::string text;
  text.reserve(request.url.target.size() + request.url.host.size() + request.headers.size() + request.body.size() + 96);
  fmt::format_to(std::back_inserter(text), "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n", request.url.target,
                 request.url.host_header(), request.body.size());
  text += request.headers;
  text += "\r\n";
  text += request.body;
  return text;
}

Answer answer_of(ResponseReader& response, Answer::Body body) {
  Answer answer{.status = response.status(), .body_excerpt = std::move(response.body()), .body = body};
  if (const auto disposition = response.header("semel-disposition")) answer.disposition.emplace(*disposition);
  if (const auto retry_after = response.header("retry-after")) answer.retry_after.emplace(*retry_after);
  return answer;
}

NoAnswer no_answer(NoAnswer::Trouble trouble, bool stale, const char* note) {
  return {.trouble = trouble, .request_byte_left = true, .stale_connection = stale, .note = note};
}

// What a conversation that had begun comes to. `pooled`: the connection had carried a request before.
Outcome outcome_of(Ended ended, ResponseReader& response, bool pooled) {
  if (response.head_complete()) {
    probe::sometimes<"client.bytes_behind_the_answer">(ended == Ended::leftover);
    probe::sometimes<"client.body_over_the_cap">(ended == Ended::over_cap);
    probe::sometimes<"client.body_malformed">(ended == Ended::malformed);
    probe::sometimes<"client.body_cut">(ended == Ended::lost);
    probe::sometimes<"client.body_too_slow">(ended == Ended::timed_out);
    switch (ended) {
      case Ended::complete:
      case Ended::leftover:
        return answer_of(response, Answer::Body::complete);
      case Ended::over_cap:
        return answer_of(response, Answer::Body::over_cap);
      case Ended::malformed:
      case Ended::lost:
      case Ended::timed_out:
        return answer_of(response, Answer::Body::incomplete);
    }
    std::unreachable();
  }
  probe::sometimes<"client.no_answer_in_time">(ended == Ended::timed_out);
  probe::sometimes<"client.lost_before_the_answer">(ended == Ended::lost && !pooled && !response.any_byte());
  probe::sometimes<"client.lost_in_the_head">(ended == Ended::lost && response.any_byte());
  probe::sometimes<"client.pooled_connection_was_stale">(ended == Ended::lost && pooled && !response.any_byte());
  switch (ended) {
    case Ended::timed_out:
      return no_answer(NoAnswer::Trouble::timed_out, false, "no complete answer before the deadline");
    case Ended::lost:
      return no_answer(NoAnswer::Trouble::connection_lost, pooled && !response.any_byte(),
                       response.any_byte() ? "the connection was lost within the answer's headers"
                                           : "the connection was lost before any byte of an answer");
    case Ended::malformed:
    case Ended::complete:
    case Ended::leftover:
    case Ended::over_cap:
      break;
  }
  probe::reached<"client.answer_malformed">();
  return no_answer(NoAnswer::Trouble::malformed_answer, false, "the answer is not HTTP as the standard has it");
}

}  // namespace

Co<Outcome> HttpExchange::exchange(SealedRequest request) {
  Cancel total;
  Deadline deadline(clock_, clock_.now() + request.timeout, total);
  Outcome outcome = co_await exchange_within(request, total);
  if (planted(Planted::client_resends_by_itself))
    if (const auto* none = std::get_if<NoAnswer>(&outcome); none && none->trouble == NoAnswer::Trouble::connection_lost)
      outcome = co_await exchange_within(request, total);
  deadline.stop();
  co_return outcome;
}

Co<Outcome> HttpExchange::exchange_within(const SealedRequest& request, Cancel& total) {
  const egress::Url& url = request.url;
  const ConnectionKey key{.owner = request.pool, .scheme = url.scheme, .host = url.host, .port = url.port};
  std::optional<Connection> connection;
  if (!request.fresh_connection) connection = pool_.take(key);
  const bool pooled = connection.has_value();
  probe::sometimes<"client.reuses_a_connection">(pooled);
  if (!pooled) {
    Dialed dialed = co_await guard_.connect(url, total);
    if (!dialed) co_return std::move(dialed).error();
    connection = Connection{.stream = *std::move(dialed), .connected_at = clock_.now()};
  }
  if (total.requested()) co_return timed_out_before_request();

  const std::string text = text_of(request);
  ResponseReader response(options_.response);
  const Ended ended = co_await converse(*connection->stream, text, response, total);
  if (ended != Ended::complete) {
    connection->stream->abort();
  } else if (response.keeps_connection()) {
    pool_.put(key, *std::move(connection));
  }
  co_return outcome_of(ended, response, pooled);
}

}  // namespace semel::http
