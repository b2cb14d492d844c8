// submission.cc: reading the event object, member by member.
#include "core/event/submission.h"

#include <algorithm>
#include <array>

#include "base/id.h"
#include "base/nearest.h"
#include "core/routing/pattern.h"

namespace semel::event {
namespace {

constexpr std::size_t kWordLengthMax = 128;
constexpr std::size_t kPointerLengthMax = 128;

bool is_printable_ascii(char c) { return c >= 0x20 && c <= 0x7E; }

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_c1 = byte == 0xC2 && next <= 0x9F;  // U+0080 to U+009F
    if (byte < 0x20 || byte == 0x7F || is_c1) return true;
  }
  return false;
}

int depth_of(const JsonValue& value) {
  int deepest = 0;
  for (std::size_t i = 0; i < value.size(); ++i) deepest = std::max(deepest, depth_of(value.at(i)));
  const bool nests = value.kind() == JsonKind::array || value.kind() == JsonKind::object;
  return deepest + (nests ? 1 : 0);
}

// Each reader returns false when the value is not what the member holds.

bool read_word(const JsonValue& value, std::optional<std::string>& member) {
  if (value.kind() != JsonKind::string) return false;
  const std::string_view text = value.text();
  if (text.empty() || text.size() > kWordLengthMax || !std::ranges::all_of(text, is_printable_ascii)) return false;
  member = text;
  return true;
}

template <class Number>
bool read_number(const JsonValue& value, std::uint64_t low, std::optional<Number>& member) {
  const std::optional<std::int64_t> number = value.integer();
  if (!number || *number < 0) return false;
  const auto magnitude = static_cast<std::uint64_t>(*number);
  if (magnitude < low || magnitude > kNumberMax) return false;
  member = magnitude;
  return true;
}

bool read_type(const JsonValue& value, Submission& submission) {
  if (value.kind() != JsonKind::string || !routing::is_valid_event_type(value.text())) return false;
  submission.type = value.text();
  return true;
}

bool read_id(const JsonValue& value, Submission& submission) {
  if (value.kind() != JsonKind::string || !is_valid_id(value.text())) return false;
  submission.id = value.text();
  return true;
}

bool read_ordering_key(const JsonValue& value, Submission& submission) {
  if (value.kind() != JsonKind::string) return false;
  const std::string_view text = value.text();
  if (text.empty() || text.size() > kWordLengthMax || has_control_character(text)) return false;
  submission.ordering_key = text;
  return true;
}

bool read_sequence_start(const JsonValue& value, Submission& submission) {
  if (value.kind() != JsonKind::boolean) return false;
  submission.sequence_start = value.boolean();
  return true;
}

bool read_occurred_at(const JsonValue& value, Submission& submission) {
  if (value.kind() != JsonKind::string) return false;
  const Result<WallTime> time = parse_rfc3339(value.text());
  if (!time) return false;
  submission.occurred_at = *time;
  return true;
}

bool read_data(const JsonValue& value, Submission& submission) {
  if (depth_of(value) > kDataDepthMax) return false;
  submission.data = value.raw();
  return true;
}

struct Member {
  std::string_view name;
  bool (*read)(const JsonValue&, Submission&);
  std::string_view expected;
};

constexpr std::string_view kWord = "1 to 128 printable ASCII characters are expected";

constexpr Member kMembers[] = {
    {"type", read_type, "1 to 8 segments of [A-Za-z0-9_-] joined by dots are expected, at most 128 bytes"},
    {"data", read_data, "a JSON value is expected, with arrays and objects at most 64 deep"},
    {"id", read_id, "1 to 64 of [A-Za-z0-9_-] are expected"},
    {"schema_version", [](const JsonValue& v, Submission& s) { return read_word(v, s.schema_version); }, kWord},
    {"source", [](const JsonValue& v, Submission& s) { return read_word(v, s.source); }, kWord},
    {"ordering_key", read_ordering_key, "1 to 128 bytes of text without control characters are expected"},
    {"sequence", [](const JsonValue& v, Submission& s) { return read_number(v, 1, s.sequence); },
     "an integer from 1 to 9007199254740991 is expected"},
    {"sequence_start", read_sequence_start, "true or false is expected"},
    {"correlation_id", [](const JsonValue& v, Submission& s) { return read_word(v, s.correlation_id); }, kWord},
    {"causation_id", [](const JsonValue& v, Submission& s) { return read_word(v, s.causation_id); }, kWord},
    {"entity_version", [](const JsonValue& v, Submission& s) { return read_number(v, 0, s.entity_version); },
     "an integer from 0 to 9007199254740991 is expected"},
    {"occurred_at", read_occurred_at, "a time as in RFC 3339 is expected, like 2026-11-30T07:45:51.123Z"},
};

constexpr std::string_view kMembersToCome[] = {"deliver_after", "expires_at"};

constexpr auto kMemberNames = [] {
  std::array<std::string_view, std::size(kMembers)> names;
  std::ranges::transform(kMembers, names.begin(), &Member::name);
  return names;
}();

// RFC 6901; the whole object for a name too long to be worth repeating.
std::string pointer_to(std::string_view name) {
  std::string pointer = "/";
  for (const char c : name) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer.size() <= kPointerLengthMax ? pointer : "";
}

std::unexpected<SubmissionError> refuse(std::string code, std::string member, std::string note) {
  return std::unexpected(SubmissionError{std::move(code), std::move(member), std::move(note)});
}

std::expected<void, SubmissionError> read_member(std::string_view name, const JsonValue& value,
                                                 Submission& submission) {
  const auto* member = std::ranges::find(kMembers, name, &Member::name);
  if (member != std::end(kMembers)) {
    if (!member->read(value, submission))
      return refuse("MEMBER_INVALID", pointer_to(name), std::string(member->expected));
    return {};
  }
  if (std::ranges::find(kMembersToCome, name) != std::end(kMembersToCome))
    return refuse("NOT_SUPPORTED_YET", pointer_to(name), "this member is not supported yet");
  return refuse("MEMBER_UNKNOWN", pointer_to(name),
                "an event has no member of this name" + nearest_name_hint(name, kMemberNames));
}

}  // namespace

std::expected<Submission, SubmissionError> read_submission(const JsonValue& object) {
  if (object.kind() != JsonKind::object) return refuse("BODY_INVALID", "", "an event is a JSON object");
  if (object.raw().size() > kSubmissionBytesMax)
    return refuse("BODY_TOO_LARGE", "", "an event is at most 262144 bytes");
  Submission submission;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const auto read = read_member(object.name(i), object.at(i), submission);
    if (!read) return std::unexpected(read.error());
  }
  if (submission.type.empty()) return refuse("MEMBER_MISSING", "/type", "an event has a type");
  if (submission.data.empty()) return refuse("MEMBER_MISSING", "/data", "an event has data");
  if (submission.sequence && !submission.ordering_key)
    return refuse("MEMBER_MISSING", "/ordering_key", "a sequence counts the events of an ordering key");
  if (submission.sequence_start && !submission.sequence)
    return refuse("MEMBER_MISSING", "/sequence", "sequence_start says that this sequence is the first");
  return submission;
}

}  // namespace semel::event
