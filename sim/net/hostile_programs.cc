// hostile_programs.cc: the table of what hostile receivers do, after the answers that have hurt others' clients.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/net/hostile.h"

namespace semel::sim {
namespace {

using Peer = HostilePeer;
using std::chrono::seconds;
using namespace std::string_literals;
using namespace std::string_view_literals;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

// Answers each request with these bytes.
Co<void> answers(Peer& peer, std::string bytes) {
  while (co_await peer.request() && co_await peer.send(bytes)) {
  }
}
// Answers the n-th connection's requests with the n-th of these, and begins again.
Co<void> takes_turns(Peer& peer, std::span<const std::string_view> texts) {
  const auto turn = static_cast<std::size_t>(peer.connection() - 1) % texts.size();
  return answers(peer, std::string(texts[turn]));
}
// Answers the first request with these bytes and sends no more, but stays.
Co<void> answers_and_stays(Peer& peer, std::string bytes) {
  if (co_await peer.request() && co_await peer.send(bytes)) co_await peer.hold();
}
Co<void> answers_and_closes(Peer& peer, std::string bytes) {
  if (co_await peer.request()) co_await peer.send(bytes);
}
Co<void> answers_and_resets(Peer& peer, std::string bytes) {
  if (co_await peer.request() && co_await peer.send(bytes) &&
      co_await peer.wait(milliseconds(peer.draw().skewed(1, 8))))
    peer.reset();
}
// Sends `first`, then `then` as fast as it is taken.
Co<void> floods(Peer& peer, std::string first, std::string then) {
  if (!co_await peer.request() || !co_await peer.send(first)) co_return;
  while (co_await peer.send(then)) {
  }
  co_await peer.hold();
}
Co<void> drips(Peer& peer, std::string first, std::string then, std::size_t piece, milliseconds pause) {
  if (co_await peer.request() && co_await peer.send(first) && co_await peer.drip(then, piece, pause))
    co_await peer.hold();
}

constexpr std::string_view kStatuses[] = {
    "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n",       "HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200200 Twice\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 1000 High\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 -200 Minus\r\nContent-Length: 0\r\n\r\n",   "HTTP/1.1 2OO Letters\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 999 Most\r\nContent-Length: 0\r\n\r\n",     "http/1.1 200 small\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1  200 spaces\r\nContent-Length: 0\r\n\r\n",  "HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1200 OK\r\nContent-Length: 0\r\n\r\n",        "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
};
constexpr std::string_view kLengths[] = {
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk",
    "HTTP/1.1 200 OK\r\nContent-Length: 2, 3\r\n\r\nokk",
    "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nok",
};
constexpr std::string_view kChunks[] = {
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokk\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\n0\n\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n",
};
constexpr std::string_view kHeads[] = {
    "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n folded: 1\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n: no name\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok"sv,
};
constexpr std::string_view kCodings[] = {
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
};
constexpr std::string_view kRedirects[] = {
    "HTTP/1.1 301 Moved\r\nLocation: http://169.254.169.254/latest/meta-data/\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 303 See Other\r\nLocation: http://127.0.0.1:8080/\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 307 Temporary\r\nLocation: https://[::ffff:169.254.169.254]/\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 308 Permanent\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 307 Temporary\r\nLocation: /hook\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 300 Choices\r\nLocation: //10.0.0.1/\r\nContent-Length: 0\r\n\r\n",
};
constexpr std::string_view kWaits[] = {
    "HTTP/1.1 429 Slow\r\nRetry-After: -1\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Later\r\nRetry-After: 100000000000000000000\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Later\r\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 429 Slow\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Later\r\nRetry-After: NaN\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 429 Slow\r\nRetry-After: 0\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Later\r\nRetry-After: 1.5e9\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 429 Slow\r\nRetry-After: Sun, 31 Feb 2027 25:61:61 GMT\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n",
};
constexpr std::string_view kDispositions[] = {
    "HTTP/1.1 500 No\r\nSemel-Disposition: applied\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nSemel-Disposition: rejected\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nSemel-Disposition: parked\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 404 Gone\r\nSemel-Disposition: duplicate\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nSemel-Disposition: applied\r\nSemel-Disposition: parked\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nSemel-Disposition: \xff\xfe\r\nContent-Length: 0\r\n\r\n",
};

constexpr HostileProgram kPrograms[] = {
    {"reads_nothing", "accepts, reads nothing and says nothing",
     [](Peer& peer) -> Co<void> { co_await peer.wait(seconds(60)); }},
    {"never_answers", "reads everything and says nothing", [](Peer& peer) { return peer.hold(); }},
    {"reads_a_byte_a_second", "takes the request one byte a second",
     [](Peer& peer) -> Co<void> {
       while (co_await peer.wait(seconds(1)) && co_await peer.read(1)) {
       }
     }},
    {"closes_at_once", "closes as soon as it is asked to accept",
     [](Peer& peer) -> Co<void> {
       peer.close();
       co_return;
     }},
    {"resets_at_once", "resets as soon as it is asked to accept",
     [](Peer& peer) -> Co<void> {
       peer.reset();
       co_return;
     }},
    {"closes_after_the_request", "reads the request and closes",
     [](Peer& peer) -> Co<void> { co_await peer.request(); }},
    {"resets_after_the_request", "reads the request and resets",
     [](Peer& peer) { return answers_and_resets(peer, ""); }},
    {"answers_before_the_request", "answers 200 before it has read a byte, then reads",
     [](Peer& peer) -> Co<void> {
       if (co_await peer.send(kOk)) co_await peer.hold();
     }},
    {"answers_unread", "answers 413 and closes over the unread request",
     [](Peer& peer) -> Co<void> {
       if (co_await peer.send("HTTP/1.1 413 Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
         co_await peer.wait(milliseconds(50));
     }},
    {"endless_headers", "sends header lines for as long as they are taken",
     [](Peer& peer) { return floods(peer, "HTTP/1.1 200 OK\r\n", repeated("X-More: and more of it\r\n", 4096)); }},
    {"many_small_headers", "sends thousands of the smallest header lines",
     [](Peer& peer) { return floods(peer, "HTTP/1.1 200 OK\r\n", repeated("a:\r\n", 2048)); }},
    {"one_header_without_end", "sends one header line that does not end",
     [](Peer& peer) { return floods(peer, "HTTP/1.1 200 OK\r\nX-Long: ", std::string(4096, 'x')); }},
    {"reason_without_end", "sends a status line that does not end",
     [](Peer& peer) { return floods(peer, "HTTP/1.1 200 ", std::string(4096, 'O')); }},
    {"header_drip", "sends one header line every five seconds",
     [](Peer& peer) { return drips(peer, "HTTP/1.1 200 OK\r\n", repeated("X: y\r\n", 100), 6, seconds(5)); }},
    {"byte_drip", "sends its answer one byte a second",
     [](Peer& peer) { return drips(peer, "", std::string(kOk), 1, seconds(1)); }},
    {"endless_interim", "sends 100, 102 and 103 for as long as they are taken",
     [](Peer& peer) {
       return floods(
           peer, "",
           repeated("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n", 4096));
     }},
    {"interim_drip", "sends a 102 every three seconds and never an answer",
     [](Peer& peer) { return drips(peer, "", repeated("HTTP/1.1 102 Processing\r\n\r\n", 600), 27, seconds(3)); }},
    {"few_interim", "sends a 100 nobody asked for, hints, and then the answer",
     [](Peer& peer) {
       return answers(peer, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </x>; rel=preload\r\n\r\n" +
                                std::string(kOk));
     }},
    {"switches_protocols", "answers 101 unasked",
     [](Peer& peer) {
       return answers_and_stays(peer, "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
     }},
    {"endless_body", "promises a terabyte of body and sends for as long as they are taken",
     [](Peer& peer) {
       return floods(peer, "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", std::string(8192, 'x'));
     }},
    {"endless_chunks", "sends chunks for as long as they are taken",
     [](Peer& peer) {
       return floods(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                     "1000\r\n" + std::string(4096, 'x') + "\r\n");
     }},
    {"endless_trailer", "ends its body and sends trailer lines for as long as they are taken",
     [](Peer& peer) {
       return floods(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
                     repeated("X-More: and more of it\r\n", 4096));
     }},
    {"endless_chunk_extension", "begins a chunk size that does not end",
     [](Peer& peer) {
       return floods(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=", std::string(4096, 'y'));
     }},
    {"until_close_endless", "gives no length and sends for as long as it is taken",
     [](Peer& peer) { return floods(peer, "HTTP/1.0 200 OK\r\n\r\n", std::string(8192, 'x')); }},
    {"huge_chunk", "promises a chunk of 2 GiB, sends a little of it and falls silent",
     [](Peer& peer) {
       return answers_and_stays(peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffff\r\nlittle");
     }},
    {"body_drip", "answers 200 and sends its body one byte a second",
     [](Peer& peer) {
       return drips(peer, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", std::string(1000, 'x'), 1, seconds(1));
     }},
    {"body_never_ends", "answers 200, sends half of its body and falls silent",
     [](Peer& peer) { return answers_and_stays(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf."); }},
    {"absurd_chunks", "sends chunk sizes that overflow, are negative or do not fit",
     [](Peer& peer) { return takes_turns(peer, kChunks); }},
    {"absurd_lengths", "sends content lengths that are doubled, signed, huge or empty",
     [](Peer& peer) { return takes_turns(peer, kLengths); }},
    {"length_and_chunks", "sends both a length and chunks, or other codings",
     [](Peer& peer) { return takes_turns(peer, kCodings); }},
    {"absurd_status", "sends statuses like 99, 000 and 200200",
     [](Peer& peer) { return takes_turns(peer, kStatuses); }},
    {"malformed_heads", "sends bare LF, bare CR, NUL, folded lines, lines without a colon",
     [](Peer& peer) { return takes_turns(peer, kHeads); }},
    {"answers_twice", "sends two answers at once to one request",
     [](Peer& peer) { return answers(peer, std::string(kOk) + std::string(kOk)); }},
    {"stray_answer", "answers, and sends another answer a while later into the idle connection",
     [](Peer& peer) -> Co<void> {
       while (co_await peer.request() && co_await peer.send(kOk) &&
              co_await peer.wait(milliseconds(peer.draw().skewed(1, 10))) && co_await peer.send(kOk)) {
       }
     }},
    {"stray_byte", "answers, and leaves one byte in the idle connection",
     [](Peer& peer) -> Co<void> {
       while (co_await peer.request() && co_await peer.send(kOk) && co_await peer.send("\n")) {
       }
     }},
    {"answers_the_next_request_first", "answers each request but the first before it comes",
     [](Peer& peer) -> Co<void> {
       while (co_await peer.request()) {
         if (!co_await peer.send(peer.requests() == 1 ? kOk : std::string_view())) co_return;
         if (!co_await peer.send(kOk)) co_return;
       }
     }},
    {"garbage", "answers with bytes of chance",
     [](Peer& peer) -> Co<void> {
       std::array<std::uint8_t, 600> bytes{};
       peer.draw().fill(bytes);
       co_await answers_and_stays(peer, std::string(bytes.begin(), bytes.end()));
     }},
    {"garbage_after_the_head", "answers 200 with chunks that are bytes of chance",
     [](Peer& peer) -> Co<void> {
       std::array<std::uint8_t, 600> bytes{};
       peer.draw().fill(bytes);
       co_await answers_and_stays(
           peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(bytes.begin(), bytes.end()));
     }},
    {"http2", "answers with the frames of HTTP/2",
     [](Peer& peer) { return answers_and_stays(peer, "\0\0\0\4\0\0\0\0\0\0\0\0\4\1\0\0\0\0"s); }},
    {"http2_preface", "answers with the preface of HTTP/2",
     [](Peer& peer) { return answers_and_stays(peer, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); }},
    {"http_0_9", "answers with a body alone and closes",
     [](Peer& peer) { return answers_and_closes(peer, "<html>accepted</html>"); }},
    {"tls_alert", "answers a TLS alert into the open text",
     [](Peer& peer) { return answers_and_closes(peer, "\x15\3\3\0\2\2\x28"s); }},
    {"nothing_but_newlines", "answers with empty lines for as long as they are taken",
     [](Peer& peer) { return floods(peer, "", repeated("\r\n", 1024)); }},
    {"body_after_204", "answers 204 with a body",
     [](Peer& peer) { return answers(peer, "HTTP/1.1 204 None\r\nContent-Length: 2\r\n\r\nok"); }},
    {"body_after_304", "answers 304 with a body",
     [](Peer& peer) { return answers(peer, "HTTP/1.1 304 Same\r\nContent-Length: 2\r\n\r\nok"); }},
    {"longer_than_its_length", "sends more body than it said",
     [](Peer& peer) { return answers(peer, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nok"); }},
    {"closes_after_the_status_line", "sends its status line and closes",
     [](Peer& peer) { return answers_and_closes(peer, "HTTP/1.1 200 OK\r\n"); }},
    {"resets_after_the_status_line", "sends its status line and resets",
     [](Peer& peer) { return answers_and_resets(peer, "HTTP/1.1 200 OK\r\n"); }},
    {"closes_within_the_body", "sends its headers and half of its body and closes",
     [](Peer& peer) { return answers_and_closes(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf."); }},
    {"resets_after_the_headers", "sends its headers and resets before the body",
     [](Peer& peer) { return answers_and_resets(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"); }},
    {"resets_after_the_answer", "answers 200 in full and resets",
     [](Peer& peer) { return answers_and_resets(peer, std::string(kOk)); }},
    {"closes_after_keep_alive", "says that it keeps the connection and closes it at once",
     [](Peer& peer) {
       return answers_and_closes(peer, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
     }},
    {"stays_after_close", "says that it closes the connection and keeps it open",
     [](Peer& peer) {
       return answers_and_stays(peer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
     }},
    {"redirects", "sends the client to the metadata service, to itself, to a file",
     [](Peer& peer) { return takes_turns(peer, kRedirects); }},
    {"asks_for_credentials", "answers 401 and 407 for ever",
     [](Peer& peer) {
       return answers(peer, peer.connection() % 2 == 1
                                ? "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
                                : "HTTP/1.1 407 Who\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n");
     }},
    {"absurd_retry_after", "asks to wait for times that are negative, past, endless or no times",
     [](Peer& peer) { return takes_turns(peer, kWaits); }},
    {"asks_to_wait", "answers after a while, mostly with 429 or 503 and a wait of any length",
     [](Peer& peer) -> Co<void> {
       const auto answer = [&peer] {
         if (peer.draw().below(4) == 0) return std::string(kOk);
         return fmt::format("HTTP/1.1 {}\r\nRetry-After: {}\r\nContent-Length: 0\r\n\r\n",
                            peer.draw().below(2) == 0 ? "429 Slow" : "503 Later", peer.draw().skewed(1, 12));
       };
       while (co_await peer.request() && co_await peer.wait(milliseconds(peer.draw().skewed(1, 13))) &&
              co_await peer.send(answer())) {
       }
     }},
    {"long_retry_after", "asks to wait with a value of 10 KiB",
     [](Peer& peer) {
       return answers(
           peer, "HTTP/1.1 503 Later\r\nRetry-After: " + std::string(10'240, '9') + "\r\nContent-Length: 0\r\n\r\n");
     }},
    {"absurd_disposition", "names dispositions that do not fit the status",
     [](Peer& peer) { return takes_turns(peer, kDispositions); }},
    {"cookie_flood", "sets ninety cookies",
     [](Peer& peer) {
       return answers(peer, "HTTP/1.1 200 OK\r\n" + repeated("Set-Cookie: a=b; Domain=.example\r\n", 90 * 34) +
                                "Content-Length: 2\r\n\r\nok");
     }},
    {"gzip_bomb", "says that its body is compressed twenty times over",
     [](Peer& peer) {
       return answers(peer, "HTTP/1.1 200 OK\r\nContent-Encoding: " + repeated("gzip, ", 120) +
                                "gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b");
     }},
    {"points_elsewhere", "names other places in Refresh, Alt-Svc and Link",
     [](Peer& peer) {
       return answers(peer,
                      "HTTP/1.1 200 OK\r\nRefresh: 0; url=http://127.0.0.1/\r\nAlt-Svc: h2=\"10.0.0.1:443\"\r\n"
                      "Link: <http://169.254.169.254/>; rel=preload\r\nContent-Length: 2\r\n\r\nok");
     }},
    {"continue_only", "answers 100 and waits for more of the request",
     [](Peer& peer) { return answers_and_stays(peer, "HTTP/1.1 100 Continue\r\n\r\n"); }},
    {"expectation_failed", "answers 417 to a request that expected nothing",
     [](Peer& peer) { return answers(peer, "HTTP/1.1 417 Expectation\r\nContent-Length: 0\r\n\r\n"); }},
    {"flips", "answers 200 and 500 by turns",
     [](Peer& peer) -> Co<void> {
       while (co_await peer.request() &&
              co_await peer.send(peer.draw().below(2) == 0 ? kOk : "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")) {
       }
     }},
    {"is_gone", "answers 410",
     [](Peer& peer) { return answers(peer, "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"); }},
    {"writes_on_the_terminal", "puts control sequences and line ends into its body",
     [](Peer& peer) {
       return answers(peer, "HTTP/1.1 500 \x1b[2J\r\nContent-Length: 25\r\n\r\n\x1b]0;owned\x07\r\nlevel=fatal\0\x7f"s);
     }},
    {"piece_by_piece", "sends a good answer in pieces of one byte without pause",
     [](Peer& peer) -> Co<void> {
       while (co_await peer.request() && co_await peer.drip(kOk, 1, milliseconds(0))) {
       }
     }},
};

}  // namespace

std::span<const HostileProgram> hostile_programs() { return kPrograms; }

}  // namespace semel::sim
