// message_splitter.h: where HTTP messages begin and end in the bytes of one direction, found with none of the product's
// code.
//
// Bounds:    256 KiB of head, 16 MiB of body; beyond them, and at bytes that are not HTTP/1.1, the direction is `lost`
//            and not looked at any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace semel::sim {

class MessageSplitter {
 public:
  enum class Of : std::uint8_t { requests, answers };
  enum class Event : std::uint8_t {
    none,
    head,     // the headers of a message are complete
    message,  // it is complete
    lost,
  };

  explicit MessageSplitter(Of of) : of_(of) {}

  // Takes bytes up to the next event, or all. One message may bring two events one after the other; the second is
  // there before any further byte: call again, also with no bytes left, until the event is `none` or `lost`.
  std::size_t take(std::string_view bytes);
  Event event() const { return event_; }

  // Of answers: the next one is to a HEAD and has no body.
  void expect_no_body() { without_body_ = true; }
  // The orderly end of the bytes: completes a body that lasts until then. Event message, lost (in the middle of one) or
  // none.
  Event end();

  bool lost() const { return phase_ == Phase::lost; }
  bool between_messages() const { return phase_ == Phase::head && head_.empty(); }

  // Of the message at hand; valid until the first byte of the next one.
  std::string method, target;
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

 private:
  enum class Phase : std::uint8_t { head, complete, counted, chunk_size, chunk, chunk_end, trailer, until_end, lost };

  std::size_t take_head(std::string_view bytes);
  std::size_t take_line(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  bool read_head(std::string_view head);
  bool read_start_line(std::string_view line);
  bool frame();
  void lose();

  Of of_;
  Phase phase_ = Phase::head;
  Event event_ = Event::none;
  bool without_body_ = false;
  std::string head_;  // of the message at hand, until complete
  std::string line_;  // within a chunked body
  std::uint64_t left_ = 0;
};

}  // namespace semel::sim
