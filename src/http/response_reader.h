// response_reader.h: reads one response off the wire, strictly (RFC 9112), and says where it ends.
//
// Decides:  whether the bytes are a response, which status and fields it has, whether its body is complete, and
//           whether the connection may carry another request. Sans-IO: bytes in, state out.
// Strict:   see fields.h and framing.h; HTTP/1.1 or HTTP/1.0 in exact case, a status of three digits from 100 to 599
//           and the space behind it. 101 was never asked for, so it is malformed. Interim responses are skipped, at
//           most 16, on the same header budget.
// Why our own and not Boost.Beast's parser: what a receiver may send us has to be judged on the raw header block in
// any case (Beast takes folded lines, `Content-Length: 2, 2` and `gzip, chunked`, and knows nothing of interim
// responses), so its parser would be a second reader whose differences from ours would have to be proved harmless.
// mutation_test.cc feeds both readers mutated messages in random pieces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/body_reader.h"
#include "http/fields.h"
#include "http/framing.h"

namespace semel::http {

struct ResponseLimits {
  HeaderBudget headers;
  int interim_max = 16;
  BodyLimits body{.max = 64 * 1024, .kept = 1024};
};

class ResponseReader {
 public:
  enum class State { reading, complete, over_cap, malformed };
  enum class To { head, other };  // the request's method: an answer to HEAD has no body

  explicit ResponseReader(const ResponseLimits& limits, To to = To::other);
  ResponseReader(const ResponseReader&) = delete;
  ResponseReader& operator=(const ResponseReader&) = delete;

  // Returns how many of `bytes` were taken: all of them unless the state is no longer `reading`. Bytes behind a
  // complete response belong to nobody.
  std::size_t take(std::string_view bytes);
  // The peer's bytes ended in order: completes a body that lasts until then, changes nothing else.
  void end();

  State state() const { return state_; }
  bool any_byte() const { return any_byte_; }

  // True from the end of the final head on; then the following have their meaning, whatever the state.
  bool head_complete() const { return body_.has_value(); }
  int status() const { return status_; }
  std::span<const Field> fields() const { return fields_; }
  std::optional<std::string_view> header(std::string_view name) const { return only_value(fields_, name); }
  std::string& body() { return body_->kept(); }

  // The response is complete and neither its version, its framing nor its words close the connection.
  bool keeps_connection() const;

 private:
  std::size_t take_head(std::string_view bytes);
  void read_head();
  bool read_status_line();
  void follow_body();

  ResponseLimits limits_;
  To to_;
  State state_ = State::reading;
  bool any_byte_ = false;
  int interim_ = 0;
  std::optional<SectionReader> head_;
  HttpVersion version_ = HttpVersion::http11;
  int status_ = 0;
  std::vector<Field> fields_;
  bool until_close_ = false;
  std::optional<BodyReader> body_;
};

}  // namespace semel::http
