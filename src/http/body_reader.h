// body_reader.h: takes a body off the wire by its framing, counts it against a cap and keeps its beginning.
//
// Bounds: `max` bytes of content; chunk sizes of at most eight hexadecimal digits; chunk extensions and trailers come
//         out of the message's HeaderBudget. Past a bound the state is over_cap: enough was seen, close the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/fields.h"
#include "http/framing.h"

namespace semel::http {

struct BodyLimits {
  std::size_t max;   // content bytes
  std::size_t kept;  // of which the first so many are kept
};

class BodyReader {
 public:
  enum class State { reading, complete, over_cap, malformed };

  // `budget` must outlive the reader.
  BodyReader(Framing framing, BodyLimits limits, HeaderBudget& budget);

  // Returns how many of `bytes` were taken: all of them unless the state is no longer `reading`.
  std::size_t take(std::string_view bytes);
  // The peer's bytes ended in order: completes a body that lasts until then, changes nothing else.
  void end();

  State state() const { return state_; }
  std::string& kept() { return kept_; }
  const std::string& kept() const { return kept_; }

 private:
  std::size_t take_content(std::string_view bytes, std::uint64_t& left);
  std::size_t take_chunked(std::string_view bytes);
  void step_chunk(char c);
  void step_chunk_size(char c);
  std::size_t take_trailers(std::string_view bytes);

  enum class ChunkAt { size, extension, size_lf, data, data_cr, data_lf, trailers };

  Framing framing_;
  BodyLimits limits_;
  HeaderBudget* budget_;
  State state_ = State::reading;
  std::string kept_;
  std::size_t received_ = 0;
  std::uint64_t left_ = 0;  // of the body or of the current chunk
  ChunkAt chunk_at_ = ChunkAt::size;
  int size_digits_ = 0;
  std::optional<SectionReader> trailers_;
};

}  // namespace semel::http
