// submission_test.cc: which event objects are taken, what is read from them, and how each fault is named.
#include "core/event/submission.h"

#include <gtest/gtest.h>

namespace semel::event {
namespace {

using namespace std::string_literals;

std::expected<Submission, SubmissionError> read(std::string_view json) {
  const auto document = parse_json(json, {.depth_max = 200});
  if (!document) return std::unexpected(SubmissionError{"NOT_JSON", "", document.error().note});
  return read_submission(document->root());
}

// An event object with `member` (as "name":value) added to a type and data.
std::string with(const std::string& member) { return R"({"type":"a","data":1,)" + member + "}"; }

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

TEST(ReadSubmission, reads_every_member) {
  const auto submission = read(R"({
    "type": "shipment.created", "id": "ord-1_A", "schema_version": "2.1", "source": "shop eu", "ordering_key": "caf\u00e9",
    "sequence": 9007199254740991, "sequence_start": true, "correlation_id": "c1", "causation_id": "c0",
    "entity_version": 0, "occurred_at": "2026-11-30T08:45:51.1239+01:00", "data": { "n" : 1.0 } })");
  ASSERT_TRUE(submission) << submission.error().note;
  EXPECT_EQ(submission->type, "shipment.created");
  EXPECT_EQ(submission->id, "ord-1_A");
  EXPECT_EQ(submission->schema_version, "2.1");
  EXPECT_EQ(submission->source, "shop eu");
  EXPECT_EQ(submission->ordering_key, "caf\xc3\xa9");
  EXPECT_EQ(submission->sequence, 9007199254740991u);
  EXPECT_TRUE(submission->sequence_start);
  EXPECT_EQ(submission->correlation_id, "c1");
  EXPECT_EQ(submission->causation_id, "c0");
  EXPECT_EQ(submission->entity_version, 0u);
  EXPECT_EQ(submission->occurred_at, WallTime{1'796'024'751'123});
  EXPECT_EQ(submission->data, R"({ "n" : 1.0 })");
}

TEST(ReadSubmission, needs_no_more_than_type_and_data) {
  const auto submission = read(R"({"data":null,"type":"a"})");
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->data, "null");
  EXPECT_FALSE(submission->id || submission->ordering_key || submission->sequence || submission->sequence_start ||
               submission->entity_version || submission->occurred_at);
}

TEST(ReadSubmission, data_is_kept_byte_for_byte_without_its_outer_white_space) {
  for (const std::string& data :
       {"{ \"b\" : 1.0 ,\n\t\"a\":\"\\u0041\\/\" }"s, "\"\\u0000\""s, "\"\""s, "false"s, "-0.00e+1"s,
        "\"\xf0\x9f\x98\x80\""s, nested(64), "[{\"\\u0000\":" + nested(62) + "}]"}) {
    const auto submission = read("{\"type\":\"a\",\"data\": \r\n\t" + data + " \n}");
    ASSERT_TRUE(submission) << data;
    EXPECT_EQ(submission->data, data);
  }
}

TEST(ReadSubmission, the_depth_limits_let_exactly_64_levels_of_data_pass) {
  const std::string deepest = R"({"type":"a","data":)" + nested(64) + "}";
  EXPECT_TRUE(parse_json(deepest, {.depth_max = kSubmissionDepthMax}));
  EXPECT_FALSE(parse_json(deepest, {.depth_max = kSubmissionDepthMax - 1}));
  const std::string batch = R"({"events":[)" + deepest + "]}";
  EXPECT_TRUE(parse_json(batch, {.depth_max = kBatchDepthMax}));
  EXPECT_FALSE(parse_json(batch, {.depth_max = kBatchDepthMax - 1}));
}

TEST(ReadSubmission, names_the_fault_and_the_member) {
  const struct {
    std::string json, code, member;
  } rows[] = {
      {"[]", "BODY_INVALID", ""},
      {"\"a\"", "BODY_INVALID", ""},
      {"{}", "MEMBER_MISSING", "/type"},
      {R"({"data":1})", "MEMBER_MISSING", "/type"},
      {R"({"type":"a"})", "MEMBER_MISSING", "/data"},
      {R"({"type":"a..b","data":1})", "MEMBER_INVALID", "/type"},
      {R"({"type":"a\u0000","data":1})", "MEMBER_INVALID", "/type"},
      {R"({"type":1,"data":1})", "MEMBER_INVALID", "/type"},
      {R"({"type":"a","data":)" + nested(65) + "}", "MEMBER_INVALID", "/data"},
      {R"({"type":"a","data":[{"x":)" + nested(63) + "}]}", "MEMBER_INVALID", "/data"},
      {with(R"("id":"a.b")"), "MEMBER_INVALID", "/id"},
      {with(R"("id":"")"), "MEMBER_INVALID", "/id"},
      {with(R"("id":")" + std::string(65, 'x') + "\""), "MEMBER_INVALID", "/id"},
      {with(R"("id":null)"), "MEMBER_INVALID", "/id"},
      {with(R"("schema_version":1)"), "MEMBER_INVALID", "/schema_version"},
      {with(R"("source":"caf\u00e9")"), "MEMBER_INVALID", "/source"},
      {with(R"("source":"")"), "MEMBER_INVALID", "/source"},
      {with(R"("correlation_id":"a\u0000b")"), "MEMBER_INVALID", "/correlation_id"},
      {with(R"("correlation_id":"a\u007f")"), "MEMBER_INVALID", "/correlation_id"},
      {with(R"("causation_id":")" + std::string(129, 'x') + "\""), "MEMBER_INVALID", "/causation_id"},
      {with(R"("ordering_key":"")"), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":"a\u0000")"), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":"a\nb")"), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":"a\u007f")"), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":"a\u0085")"), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":")" + std::string(129, 'x') + "\""), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":7)"), "MEMBER_INVALID", "/ordering_key"},
      {with(R"("ordering_key":"k","sequence":0)"), "MEMBER_INVALID", "/sequence"},
      {with(R"("ordering_key":"k","sequence":-1)"), "MEMBER_INVALID", "/sequence"},
      {with(R"("ordering_key":"k","sequence":1.0)"), "MEMBER_INVALID", "/sequence"},
      {with(R"("ordering_key":"k","sequence":"1")"), "MEMBER_INVALID", "/sequence"},
      {with(R"("ordering_key":"k","sequence":9007199254740992)"), "MEMBER_INVALID", "/sequence"},
      {with(R"("sequence":1)"), "MEMBER_MISSING", "/ordering_key"},
      {with(R"("ordering_key":"k","sequence_start":true)"), "MEMBER_MISSING", "/sequence"},
      {with(R"("ordering_key":"k","sequence":1,"sequence_start":1)"), "MEMBER_INVALID", "/sequence_start"},
      {with(R"("entity_version":-1)"), "MEMBER_INVALID", "/entity_version"},
      {with(R"("entity_version":9007199254740992)"), "MEMBER_INVALID", "/entity_version"},
      {with(R"("occurred_at":"yesterday")"), "MEMBER_INVALID", "/occurred_at"},
      {with(R"("occurred_at":1)"), "MEMBER_INVALID", "/occurred_at"},
      {with(R"("deliver_after":"2026-11-30T07:45:51Z")"), "NOT_SUPPORTED_YET", "/deliver_after"},
      {with(R"("expires_at":null)"), "NOT_SUPPORTED_YET", "/expires_at"},
      {with(R"("a/b~c":1)"), "MEMBER_UNKNOWN", "/a~1b~0c"},
      {with("\"" + std::string(1000, 'x') + "\":1"), "MEMBER_UNKNOWN", ""},
      {with(R"("Type":"a")"), "MEMBER_UNKNOWN", "/Type"},
      {with(R"("type\u0000":"a")"), "MEMBER_UNKNOWN", "/type\0"s},
  };
  for (const auto& row : rows) {
    const auto submission = read(row.json);
    ASSERT_FALSE(submission) << row.json;
    EXPECT_EQ(submission.error().code, row.code) << row.json;
    EXPECT_EQ(submission.error().member, row.member) << row.json;
    EXPECT_FALSE(submission.error().note.empty()) << row.json;
  }
}

TEST(ReadSubmission, an_unknown_member_is_answered_with_the_nearest_known_name) {
  EXPECT_EQ(read(with(R"("orderingKey":"k")")).error().note,
            "an event has no member of this name (did you mean ordering_key?)");
  EXPECT_EQ(read(with(R"("payload":"secret")")).error().note, "an event has no member of this name");
}

TEST(ReadSubmission, takes_the_longest_of_everything) {
  const std::string word(128, '~');
  EXPECT_TRUE(read(with(R"("id":")" + std::string(64, 'x') + "\"")));
  for (const char* name : {"schema_version", "source", "correlation_id", "causation_id", "ordering_key"})
    EXPECT_TRUE(read(with("\"" + std::string(name) + "\":\"" + word + "\""))) << name;
  EXPECT_TRUE(read(with(R"("ordering_key":"\u00a0\u2028")")));
}

TEST(ReadSubmission, an_event_object_is_at_most_256_kib) {
  const std::string frame = R"({"type":"a","data":""})";
  const auto of_size = [&frame](std::size_t size) {
    std::string json = frame;
    json.insert(json.size() - 2, size - frame.size(), 'x');
    return json;
  };
  EXPECT_TRUE(read(of_size(262'144)));
  EXPECT_EQ(read(of_size(262'145)).error().code, "BODY_TOO_LARGE");
}

}  // namespace
}  // namespace semel::event
