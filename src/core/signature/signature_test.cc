// signature_test.cc: keys as text, what a signer writes, and what a verifier takes and refuses.
#include "core/signature/signature.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace semel::signature {
namespace {

// The example of the Standard Webhooks specification.
constexpr const char* kSecretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* kId = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr const char* kTimestamp = "1614265330";
constexpr const char* kBody = R"({"test": 2432232314})";
constexpr const char* kSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
constexpr WallTime kNow{1'614'265'330'000};

// Another key, bytes 0 to 23, over the same message.
constexpr const char* kOtherSecretText = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
constexpr const char* kOtherSignature = "v1,/485aUtxlie+TIScVpHggMfqOB4so2KWb7+Gf727B44=";

// The seed of RFC 8032 section 7.1 test 2.
constexpr const char* kSeedHex = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";

Secret seed() { return {Scheme::ed25519, from_hex(kSeedHex).value()}; }
Secret secret(std::string_view text) { return parse_secret(text).value(); }
VerifierKey verifier(std::string_view text) { return parse_verifier_key(text).value(); }
VerifierKey until(VerifierKey key, WallTime not_after) {
  key.window.not_after = not_after;
  return key;
}

std::string sign_with(std::vector<Signer::Key> keys, WallTime now = kNow) {
  return Signer(std::move(keys)).sign(kId, now, kBody);
}

std::string judge(const std::vector<VerifierKey>& keys, const SignedHeaders& headers, std::string_view body = kBody,
                  WallTime now = kNow) {
  const auto rejection = verify(keys, headers, body, now);
  return rejection ? name_of(*rejection) : "accepted";
}

std::string judge_signature(std::string_view signature) {
  return judge({verifier(kSecretText)}, {kId, kTimestamp, signature});
}

std::string base64_of(std::size_t size) { return to_base64(std::string(size, 'k')); }

struct KeyText {
  std::string text;
  bool taken;
};

TEST(SecretText, is_refused_when_empty_short_long_or_never_drawn) {
  const KeyText kCases[] = {
      {"", false},
      {"whsec_", false},
      {"whsec_" + base64_of(23), false},
      {"whsec_" + base64_of(24), true},
      {"whsec_" + base64_of(64), true},
      {"whsec_" + base64_of(65), false},
      {"whsec_" + to_base64(std::string(32, '\0')), false},
      {"whsk_", false},
      {"whsk_" + base64_of(31), false},
      {"whsk_" + base64_of(32), true},
      {"whsk_" + base64_of(33), false},
      {base64_of(32), false},
      {"WHSEC_" + base64_of(32), false},
      {"whpk_" + base64_of(32), false},
      {"whsec_" + base64_of(24) + "\n", false},
      {"whsec_ " + base64_of(24), false},
      {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-w", false},
      {"whsec_a2tra2tra2tra2tra2tra2tra2tra2tra2s=", true},
      {"whsec_a2tra2tra2tra2tra2tra2tra2tra2tra2s", true},
  };
  for (const KeyText& text : kCases) {
    const auto parsed = parse_secret(text.text);
    EXPECT_EQ(parsed.has_value(), text.taken) << text.text;
    if (!parsed) {
      EXPECT_EQ(parsed.error().fault, Fault::invalid);
    }
  }
}

TEST(SecretText, reads_back_what_was_made) {
  SeededRandom random(7);
  for (const Scheme scheme : {Scheme::hmac_sha256, Scheme::ed25519}) {
    const Secret made = make_secret(scheme, random);
    const Secret read = secret(format_secret(made));
    EXPECT_EQ(read.scheme, scheme);
    EXPECT_EQ(read.bytes, made.bytes);
    EXPECT_EQ(read.bytes.size(), 32u);
  }
}

TEST(VerifierKeyText, takes_all_three_kinds_and_keeps_only_what_verifies) {
  EXPECT_EQ(public_key(seed()), "whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");
  const VerifierKey from_public = verifier("whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=");
  const VerifierKey from_seed = verifier(format_secret(seed()));
  EXPECT_EQ(from_public.scheme, Scheme::ed25519);
  EXPECT_EQ(from_seed.bytes, from_public.bytes);
  EXPECT_EQ(verifier(kSecretText).scheme, Scheme::hmac_sha256);
  for (const char* bad : {"whpk_", "whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zg==", "whsec_",
                          "whpk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
    EXPECT_EQ(parse_verifier_key(bad).error().fault, Fault::invalid) << bad;
}

TEST(Signer, writes_the_entry_of_the_specifications_example) {
  EXPECT_EQ(sign_with({{secret(kSecretText), {}}}), kSignature);
  EXPECT_EQ(format_timestamp(kNow), kTimestamp);
  EXPECT_EQ(format_timestamp({1'614'265'330'999}), kTimestamp);
}

TEST(Signer, writes_one_entry_per_live_key_and_none_at_or_after_the_end_of_its_window) {
  const std::vector<Signer::Key> keys = {{secret(kSecretText), {.not_after = WallTime{kNow.ms + 1}}},
                                         {secret(kOtherSecretText), {}}};
  EXPECT_EQ(sign_with(keys), std::string(kSignature) + " " + kOtherSignature);

  std::vector<Signer::Key> ended = keys;
  ended[0].window.not_after = kNow;
  EXPECT_EQ(sign_with(ended), kOtherSignature);

  ended[1].window.not_after = kNow;
  EXPECT_EQ(sign_with(ended), "");
  EXPECT_EQ(sign_with({}), "");
}

TEST(Signer, an_ed25519_entry_is_accepted_by_its_public_key_alone) {
  const std::string signature = sign_with({{seed(), {}}});
  EXPECT_TRUE(signature.starts_with("v1a,"));
  EXPECT_EQ(judge({verifier(public_key(seed()))}, {kId, kTimestamp, signature}), "accepted");
  EXPECT_EQ(judge({verifier(kSecretText)}, {kId, kTimestamp, signature}), "no_match");
}

TEST(SignerDeathTest, never_signs_an_id_with_a_dot) {
  EXPECT_DEATH(Signer({{secret(kSecretText), {}}}).sign("a.b", kNow, kBody), "");
}

struct SignatureCase {
  std::string signature;
  const char* expected;
};

TEST(Verify, looks_for_one_good_entry_and_passes_over_the_rest) {
  const std::string good = kSignature;
  const std::string tag = good.substr(3);
  const SignatureCase kCases[] = {
      {good, "accepted"},
      {"v1,AAAA " + good, "accepted"},
      {std::string(kOtherSignature) + " " + good, "accepted"},
      {"v2," + tag + " " + good, "accepted"},
      {"v1a," + tag + " " + good, "accepted"},
      {"  " + good, "accepted"},
      {good + " ", "accepted"},
      {"", "signature_missing"},
      {" ", "no_match"},
      {"v1,", "no_match"},
      {"v1", "no_match"},
      {tag, "no_match"},
      {"v1 " + tag, "no_match"},
      {kOtherSignature, "no_match"},
      {good.substr(0, good.size() - 1), "no_match"},
      {good + "=", "no_match"},
      {good + "AAAA", "no_match"},
      {"v1,g0hM9SsE-OTPJTGt_tmIKtSyZlE3uFJELVlNIOLJ1OE=", "no_match"},
      {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1O==", "no_match"},
      {"v1, " + tag, "no_match"},
      {"v1,g0hM9SsE+OTPJTGt /tmIKtSyZlE3uFJELVlNIOLJ1OE=", "no_match"},
      {"v1,h0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "no_match"},
      {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA=", "no_match"},
      {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OF=", "no_match"},
      {"V1," + tag, "no_match"},
      {"v0," + tag, "no_match"},
      {"none," + tag, "no_match"},
      {"none,", "no_match"},
      {"v1a," + tag, "no_match"},
      {"v1,v1," + tag, "no_match"},
      {"v1,\xc3\xa9" + tag.substr(2), "no_match"},
      {"v1,\xff\xfe\x80", "no_match"},
      {"\xc3\xa9 " + good, "accepted"},
  };
  for (const SignatureCase& row : kCases) EXPECT_EQ(judge_signature(row.signature), row.expected) << row.signature;
}

TEST(Verify, looks_at_sixteen_entries_at_most) {
  std::string fifteen;
  for (int i = 0; i < 15; ++i) fifteen += "v1,AAAA ";
  EXPECT_EQ(judge_signature(fifteen + kSignature), "accepted");
  EXPECT_EQ(judge_signature("v1,AAAA " + fifteen + kSignature), "no_match");
}

TEST(Verify, a_public_key_is_never_used_as_an_hmac_key) {
  const VerifierKey key = verifier(public_key(seed()));
  const std::string forged = sign_with({{Secret{Scheme::hmac_sha256, key.bytes}, {}}});
  EXPECT_EQ(judge({key}, {kId, kTimestamp, forged}), "no_match");
  EXPECT_EQ(judge({key}, {kId, kTimestamp, "v1a," + forged.substr(3)}), "no_match");
}

struct IdCase {
  std::string id;
  const char* expected;
};

TEST(Verify, the_id_cannot_hold_a_dot_nor_move_bytes_between_id_and_timestamp) {
  const IdCase kCases[] = {
      {"", "id_missing"},
      {"a.b", "id_missing"},
      {std::string(kId) + ".1614265330", "id_missing"},
      {"msg 1", "id_missing"},
      {std::string(64, 'a'), "no_match"},
      {std::string(65, 'a'), "id_missing"},
      {"msg_other", "no_match"},
  };
  for (const IdCase& row : kCases)
    EXPECT_EQ(judge({verifier(kSecretText)}, {row.id, kTimestamp, kSignature}), row.expected) << row.id;
}

struct TimestampCase {
  const char* timestamp;
  const char* expected;
};

TEST(Verify, the_timestamp_is_one_to_twelve_digits) {
  constexpr TimestampCase kCases[] = {
      {"", "timestamp_malformed"},
      {"-1614265330", "timestamp_malformed"},
      {"+1614265330", "timestamp_malformed"},
      {"1614265330.0", "timestamp_malformed"},
      {"1.614265330e9", "timestamp_malformed"},
      {" 1614265330", "timestamp_malformed"},
      {"1614265330 ", "timestamp_malformed"},
      {"0x6037bbf2", "timestamp_malformed"},
      {"9223372036854775808", "timestamp_malformed"},
      {"9999999999999", "timestamp_malformed"},
      {"999999999999", "timestamp_outside"},
      {"0", "timestamp_outside"},
      {"1614265330000", "timestamp_malformed"},
      {"01614265330", "no_match"},
      {"1614265330", "accepted"},
  };
  for (const TimestampCase& row : kCases)
    EXPECT_EQ(judge({verifier(kSecretText)}, {kId, row.timestamp, kSignature}), row.expected) << row.timestamp;
}

struct WindowCase {
  std::int64_t seconds_off;
  const char* expected;
};

TEST(Verify, the_window_is_300_seconds_both_ways_edges_included) {
  constexpr WindowCase kCases[] = {
      {-301, "timestamp_outside"}, {-300, "accepted"}, {0, "accepted"}, {300, "accepted"}, {301, "timestamp_outside"},
  };
  for (const WindowCase& row : kCases) {
    const WallTime now{kNow.ms - row.seconds_off * 1000};
    EXPECT_EQ(judge({verifier(kSecretText)}, {kId, kTimestamp, kSignature}, kBody, now), row.expected)
        << row.seconds_off;
  }
  const SignedHeaders again{kId, kTimestamp, kSignature};
  EXPECT_EQ(judge({verifier(kSecretText)}, again, kBody, kNow), "accepted") << "a replay inside the window is dedup's";
  EXPECT_EQ(judge({verifier(kSecretText)}, again, kBody, {kNow.ms + 301'000}), "timestamp_outside");
}

TEST(Verify, every_byte_of_the_body_counts) {
  const std::string body = kBody;
  for (const std::string& changed : {body.substr(0, body.size() - 1), body + "\n", body + "\r\nx: y", std::string(),
                                     std::string(R"({"test":2432232314})")})
    EXPECT_EQ(judge({verifier(kSecretText)}, {kId, kTimestamp, kSignature}, changed), "no_match") << changed;
}

struct RotationCase {
  std::int64_t ms_after_end;
  const char* old_key_alone;
  const char* both_keys;
};

TEST(Verify, during_rotation_both_keys_are_taken_until_the_old_one_ends_at_the_second) {
  constexpr RotationCase kCases[] = {{-1000, "accepted", "accepted"},
                                     {-1, "accepted", "accepted"},
                                     {0, "no_match", "accepted"},
                                     {1000, "no_match", "accepted"}};
  const std::string both = std::string(kSignature) + " " + kOtherSignature;
  for (const RotationCase& row : kCases) {
    const WallTime end{kNow.ms - row.ms_after_end};
    const std::vector<VerifierKey> keys = {until(verifier(kSecretText), end), verifier(kOtherSecretText)};
    EXPECT_EQ(judge(keys, {kId, kTimestamp, kSignature}), row.old_key_alone) << row.ms_after_end;
    EXPECT_EQ(judge(keys, {kId, kTimestamp, both}), row.both_keys) << row.ms_after_end;
  }
}

TEST(Verify, a_revoked_key_and_the_key_of_another_endpoint_are_refused) {
  EXPECT_EQ(judge({}, {kId, kTimestamp, kSignature}), "no_match");
  EXPECT_EQ(judge({verifier(kOtherSecretText)}, {kId, kTimestamp, kSignature}), "no_match");
}

}  // namespace
}  // namespace semel::signature
