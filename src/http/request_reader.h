// request_reader.h: reads one request off the wire, strictly (RFC 9112), and says how a bad one is answered.
//
// Decides:  whether the bytes are a request this server takes. Sans-IO: bytes in, state out.
// Strict:   see fields.h and framing.h; HTTP/1.1 or HTTP/1.0 in exact case, only absolute paths as target, exactly one
//           Host, no Expect but 100-continue.
// Why our own parser: see response_reader.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/body_reader.h"
#include "http/fields.h"
#include "port/serve.h"

namespace semel::http {

struct RequestLimits {
  HeaderBudget headers;
  std::size_t body_max = 4 * 1024 * 1024 + 64 * 1024;
};

class RequestReader {
 public:
  enum class State { reading, complete, refused };

  explicit RequestReader(const RequestLimits& limits);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Returns how many of `bytes` were taken: all of them unless the state is no longer `reading`. What is left behind a
  // complete request begins the next one; behind a refused one nothing can be told apart any more.
  std::size_t take(std::string_view bytes);

  State state() const { return state_; }
  int refusal() const { return refusal_; }  // of a refused request: 400, 413, 417 or 431
  bool any_byte() const { return any_byte_; }
  bool head_complete() const { return body_.has_value(); }
  // The client waits for 100 (Continue) before it sends the body, none of which has come.
  bool awaits_continue() const { return awaits_continue_; }
  bool keeps_connection() const { return keeps_connection_; }

  // Of a complete request, once.
  HttpRequest take_request();

 private:
  void refuse(int status);
  void take_head(std::string_view bytes, std::size_t& taken);
  void read_head();
  bool read_request_line(std::string_view line);
  void follow_body();

  RequestLimits limits_;
  State state_ = State::reading;
  int refusal_ = 0;
  bool any_byte_ = false;
  bool awaits_continue_ = false;
  bool keeps_connection_ = false;
  SectionReader head_;
  HttpVersion version_ = HttpVersion::http11;
  HttpRequest request_;
  std::optional<BodyReader> body_;
};

}  // namespace semel::http
