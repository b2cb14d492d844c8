// body_reader.cc: bodies by length, in chunks, or until the connection ends.
#include "http/body_reader.h"

#include <algorithm>
#include <limits>

#include "base/match.h"
#include "base/probe.h"

namespace semel::http {
namespace {

constexpr int kChunkDigitsMax = 8;

std::optional<std::uint64_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint64_t>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace

BodyReader::BodyReader(Framing framing, BodyLimits limits, HeaderBudget& budget)
    : framing_(framing), limits_(limits), budget_(&budget) {
  match(
      framing_, [&](NoBody) { state_ = State::complete; },
      [&](Length length) {
        left_ = length.bytes;
        if (left_ == 0) state_ = State::complete;
      },
      [](Chunked) {}, [&](UntilClose) { left_ = std::numeric_limits<std::uint64_t>::max(); });
}

std::size_t BodyReader::take(std::string_view bytes) {
  if (state_ != State::reading) return 0;
  if (std::holds_alternative<Chunked>(framing_)) return take_chunked(bytes);
  const std::size_t taken = take_content(bytes, left_);
  if (state_ == State::reading && left_ == 0) state_ = State::complete;
  return taken;
}

void BodyReader::end() {
  if (state_ == State::reading && std::holds_alternative<UntilClose>(framing_)) state_ = State::complete;
}

std::size_t BodyReader::take_content(std::string_view bytes, std::uint64_t& left) {
  const std::size_t offered = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left));
  const std::size_t taken = std::min(offered, limits_.max - received_);
  const std::size_t kept = std::min(taken, limits_.kept - kept_.size());
  kept_.append(bytes.substr(0, kept));
  received_ += taken;
  left -= taken;
  probe::sometimes<"body.over_the_cap">(taken < offered);
  if (taken < offered) state_ = State::over_cap;
  return taken;
}

std::size_t BodyReader::take_chunked(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ == State::reading) {
    const std::string_view rest = bytes.substr(taken);
    if (chunk_at_ == ChunkAt::data) {
      taken += take_content(rest, left_);
      if (left_ == 0) chunk_at_ = ChunkAt::data_cr;
    } else if (chunk_at_ == ChunkAt::trailers) {
      taken += take_trailers(rest);
    } else {
      step_chunk(rest.front());
      ++taken;
    }
  }
  return taken;
}

void BodyReader::step_chunk(char c) {
  const auto expect = [&](char wanted, ChunkAt next) {
    if (c != wanted) state_ = State::malformed;
    chunk_at_ = next;
  };
  switch (chunk_at_) {
    case ChunkAt::size:
      step_chunk_size(c);
      return;
    case ChunkAt::extension:
      if (budget_->bytes == 0) {
        state_ = State::over_cap;
        return;
      }
      --budget_->bytes;
      if (c == '\r') {
        chunk_at_ = ChunkAt::size_lf;
      } else if (is_control(c)) {
        state_ = State::malformed;
      }
      return;
    case ChunkAt::size_lf:
      expect('\n', left_ == 0 ? ChunkAt::trailers : ChunkAt::data);
      return;
    case ChunkAt::data_cr:
      expect('\r', ChunkAt::data_lf);
      return;
    case ChunkAt::data_lf:
      size_digits_ = 0;
      expect('\n', ChunkAt::size);
      return;
    case ChunkAt::data:
    case ChunkAt::trailers:
      return;
  }
}

void BodyReader::step_chunk_size(char c) {
  if (const std::optional<std::uint64_t> digit = hex_digit(c)) {
    left_ = left_ * 16 + *digit;
    if (++size_digits_ > kChunkDigitsMax) state_ = State::malformed;
  } else if (size_digits_ > 0 && c == '\r') {
    chunk_at_ = ChunkAt::size_lf;
  } else if (size_digits_ > 0 && c == ';') {
    probe::reached<"body.chunk_extension">();
    chunk_at_ = ChunkAt::extension;
  } else {
    probe::reached<"body.chunk_size_malformed">();
    state_ = State::malformed;
  }
}

std::size_t BodyReader::take_trailers(std::string_view bytes) {
  if (!trailers_) trailers_.emplace(SectionReader::Kind::trailers, *budget_);
  const std::size_t taken = trailers_->take(bytes);
  switch (trailers_->state()) {
    case SectionReader::State::reading:
      break;
    case SectionReader::State::complete:
      state_ = trailers_->fields() ? State::complete : State::malformed;
      break;
    case SectionReader::State::malformed:
      state_ = State::malformed;
      break;
    case SectionReader::State::over_budget:
      probe::reached<"body.trailers_over_budget">();
      state_ = State::over_cap;
      break;
  }
  return taken;
}

}  // namespace semel::http
