// key_property_test.cc: every key has one text, however it is written, and no two texts are one key.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "core/idempotency/key.h"

namespace semel::idempotency {
namespace {

rc::Gen<std::string> any_key() {
  const auto character = rc::gen::weightedOneOf<char>({{6, rc::gen::inRange('a', 'z')},
                                                       {3, rc::gen::inRange(' ', '\x7F')},
                                                       {1, rc::gen::element('"', '\\', ',', ';')}});
  return rc::gen::suchThat(rc::gen::container<std::string>(character),
                           [](const std::string& text) { return !text.empty() && text.size() <= 255; });
}

std::string quoted(const std::string& key) {
  std::string field = "\"";
  for (const char c : key) {
    if (c == '"' || c == '\\') field += '\\';
    field += c;
  }
  return field + "\"";
}

std::string text_of(const std::string& field) {
  const Result<IdempotencyKey> key = parse_key({field});
  RC_ASSERT(key.has_value());
  return key->text;
}

RC_GTEST_PROP(AnyKeyText, is_read_back_from_its_quoted_form, ()) {
  const std::string key = *any_key();
  const std::string around = *rc::gen::element<std::string>("", " ", "\t ", "  ");
  RC_ASSERT(text_of(around + quoted(key) + around) == key);
}

RC_GTEST_PROP(AnyKeyText, is_the_same_bare_where_it_may_be_bare, ()) {
  const std::string key = *any_key();
  const Result<IdempotencyKey> bare = parse_key({key});
  const bool may_be_bare = key.find_first_of("\",; ") == std::string::npos;
  if (may_be_bare) {
    RC_ASSERT(bare.has_value());
    RC_ASSERT(hash_key(*bare) == hash_key({text_of(quoted(key))}));
  } else if (bare) {
    // Spaces around it, or the quoted form of another key.
    RC_ASSERT(bare->text != key);
  }
}

RC_GTEST_PROP(AnyKeyText, differs_from_every_other_key, ()) {
  const std::string one = *any_key();
  const std::string other = *any_key();
  RC_ASSERT((hash_key({one}) == hash_key({other})) == (one == other));
  RC_ASSERT((text_of(quoted(one)) == text_of(quoted(other))) == (one == other));
}

RC_GTEST_PROP(AnyKeyText, that_comes_in_two_lines_is_refused_even_when_they_agree, ()) {
  const std::string field = quoted(*any_key());
  RC_ASSERT(!parse_key({field, field}).has_value());
  RC_ASSERT(!parse_key({}).has_value());
}

}  // namespace
}  // namespace semel::idempotency
