// envelope_test.cc: the exact bytes of envelopes and bodies.
#include "core/event/envelope.h"

#include <gtest/gtest.h>

namespace semel::event {
namespace {

Submission full_submission() {
  return {.type = "shipment.created",
          .id = "ord-1",
          .schema_version = "2",
          .source = "shop \"eu\"",
          .ordering_key = "caf\xc3\xa9/1",
          .sequence = std::nullopt,
          .sequence_start = false,
          .correlation_id = "c1",
          .causation_id = "c0",
          .entity_version = 9,
          .occurred_at = WallTime{0},
          .data = "{ \"b\" : 1.0,\n\"a\":\"\\u0041\" }"};
}

const EnvelopeFacts kFacts = {
    .id = {"evt_1"}, .tenant = "default", .accepted_at = {1'796'024'751'123}, .sequence = std::nullopt};

EnvelopeFacts with_sequence(Sequence sequence) {
  EnvelopeFacts facts = kFacts;
  facts.sequence = sequence;
  return facts;
}

TEST(Envelope, has_every_member_in_its_place_and_data_byte_for_byte) {
  const Envelope envelope = build_envelope(full_submission(), with_sequence(42));
  EXPECT_EQ(envelope.bytes,
            "{\"id\":\"evt_1\",\"type\":\"shipment.created\",\"schema_version\":\"2\","
            "\"timestamp\":\"1970-01-01T00:00:00.000Z\",\"accepted_at\":\"2026-11-30T07:45:51.123Z\","
            "\"tenant\":\"default\",\"source\":\"shop \\\"eu\\\"\",\"correlation_id\":\"c1\",\"causation_id\":\"c0\","
            "\"ordering_key\":\"caf\xc3\xa9/1\",\"sequence\":42,\"entity_version\":9,"
            "\"data\":{ \"b\" : 1.0,\n\"a\":\"\\u0041\" }}");
  EXPECT_EQ(envelope.bytes.substr(envelope.data_offset, 8), "\"data\":{");
}

TEST(Envelope, without_options_the_timestamp_is_when_it_was_accepted) {
  const Submission submission{.type = "a", .data = "\"\\\"data\\\":\""};
  const Envelope envelope = build_envelope(submission, kFacts);
  EXPECT_EQ(envelope.bytes,
            "{\"id\":\"evt_1\",\"type\":\"a\",\"timestamp\":\"2026-11-30T07:45:51.123Z\","
            "\"accepted_at\":\"2026-11-30T07:45:51.123Z\",\"tenant\":\"default\",\"data\":\"\\\"data\\\":\"}");
  EXPECT_EQ(envelope.bytes.substr(envelope.data_offset), "\"data\":\"\\\"data\\\":\"}");
}

TEST(SpliceDelivery, puts_the_delivery_just_before_data) {
  const Envelope envelope = build_envelope(Submission{.type = "a", .data = "7"}, kFacts);
  const std::string head =
      "{\"id\":\"evt_1\",\"type\":\"a\",\"timestamp\":\"2026-11-30T07:45:51.123Z\","
      "\"accepted_at\":\"2026-11-30T07:45:51.123Z\",\"tenant\":\"default\",";
  EXPECT_EQ(splice_delivery(envelope.bytes, envelope.data_offset, {.endpoint = {"ep_1"}, .round = 1, .after = {}}),
            head + "\"delivery\":{\"endpoint\":\"ep_1\",\"round\":1},\"data\":7}");
  EXPECT_EQ(splice_delivery(envelope.bytes, envelope.data_offset, {.endpoint = {"ep_1"}, .round = 3, .after = 0}),
            head + "\"delivery\":{\"endpoint\":\"ep_1\",\"round\":3,\"after\":0},\"data\":7}");
  EXPECT_EQ(splice_delivery(envelope.bytes, envelope.data_offset, {.endpoint = {"ep_1"}, .round = 1, .after = 41}),
            head + "\"delivery\":{\"endpoint\":\"ep_1\",\"round\":1,\"after\":41},\"data\":7}");
}

TEST(EnvelopeDeathTest, an_ordering_key_without_a_sequence_is_never_written) {
  EXPECT_DEATH(build_envelope(full_submission(), kFacts), "broken invariant");
  EXPECT_DEATH(build_envelope(Submission{.type = "a", .data = "7"}, with_sequence(1)), "broken invariant");
}

TEST(EnvelopeDeathTest, a_wrong_offset_is_never_spliced_at) {
  const Envelope envelope = build_envelope(Submission{.type = "a", .data = "7"}, kFacts);
  EXPECT_DEATH(
      splice_delivery(envelope.bytes, envelope.data_offset - 1, {.endpoint = {"ep_1"}, .round = 1, .after = {}}),
      "broken invariant");
}

}  // namespace
}  // namespace semel::event
