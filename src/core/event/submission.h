// submission.h: one event as a producer handed it in, read and checked, not yet judged against the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/keys.h"
#include "base/result.h"
#include "base/time.h"

namespace semel::event {

inline constexpr std::size_t kSubmissionBytesMax = 256 * 1024;
inline constexpr int kDataDepthMax = 64;  // arrays and objects within `data`
// What parse_json must let pass for that: the event object is one level, a batch's object and array are two more.
inline constexpr int kSubmissionDepthMax = kDataDepthMax + 1;
inline constexpr int kBatchDepthMax = kDataDepthMax + 3;
inline constexpr std::uint64_t kNumberMax = (1ull << 53) - 1;

struct Submission {
  std::string type;
  std::optional<std::string> id;  // the producer's own
  std::optional<std::string> schema_version;
  std::optional<std::string> source;
  std::optional<std::string> ordering_key;
  std::optional<Sequence> sequence;
  bool sequence_start = false;
  std::optional<std::string> correlation_id;
  std::optional<std::string> causation_id;
  std::optional<std::uint64_t> entity_version;
  std::optional<WallTime> occurred_at;
  std::string data;  // the producer's JSON value, byte for byte, outer white space trimmed
};

// What is wrong with a member, for the problem answer.
struct SubmissionError {
  std::string code;    // BODY_INVALID, MEMBER_UNKNOWN, MEMBER_INVALID, MEMBER_MISSING, NOT_SUPPORTED_YET, ..
  std::string member;  // JSON pointer within the event object
  std::string note;    // what is expected; never repeats the producer's data
};

// Reads the event object, out of a document that allowed escaped NUL and at least kSubmissionDepthMax levels.
// `deliver_after` and `expires_at` are refused by name until they come.
std::expected<Submission, SubmissionError> read_submission(const JsonValue& object);

}  // namespace semel::event
