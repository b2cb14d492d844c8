// id_test.cc: the shape of ids, and that those made here sort by time.
#include "base/id.h"

#include <gtest/gtest.h>

#include <set>

namespace semel {
namespace {

TEST(Id, is_1_to_64_of_letters_digits_underscore_and_hyphen) {
  for (const std::string& text : {std::string("a"), std::string("evt_0-Z"), std::string(64, 'x')})
    EXPECT_TRUE(is_valid_id(text)) << text;
  for (const std::string& text : {std::string(), std::string(65, 'x'), std::string("a.b"), std::string("a b"),
                                  std::string("a/b"), std::string("\xc3\xa9"), std::string("a\0", 2)})
    EXPECT_FALSE(is_valid_id(text)) << text;
}

TEST(DeliveryId, is_two_ids_with_one_dot_between) {
  const DeliveryId id{{"evt_1"}, {"ep_2"}};
  EXPECT_EQ(format_delivery_id(id), "evt_1.ep_2");
  EXPECT_EQ(*parse_delivery_id("evt_1.ep_2"), id);
  for (const char* text : {"", ".", "a", "a.", ".b", "a.b.c", "a..b", "a b.c"})
    EXPECT_FALSE(parse_delivery_id(text)) << text;
}

TEST(MakeId, carries_the_time_the_version_and_the_variant_of_uuid_7) {
  SeededRandom random(7);
  const std::string id = make_id("evt_", {0x0123456789AB}, random);
  ASSERT_EQ(id.size(), 36u);
  EXPECT_EQ(id.substr(0, 17), "evt_0123456789ab7");
  EXPECT_NE(std::string("89ab").find(id[20]), std::string::npos);
  EXPECT_TRUE(is_valid_id(id));
}

TEST(MakeId, sorts_by_time_and_never_repeats) {
  SeededRandom random(1);
  std::set<std::string> ids;
  std::string previous;
  for (int ms = 0; ms < 1000; ++ms) {
    const std::string id = make_id("", {1'796'024'751'000 + ms}, random);
    EXPECT_GT(id, previous);
    previous = id;
    ids.insert(id);
    ids.insert(make_id("", {1'796'024'751'000}, random));
  }
  EXPECT_EQ(ids.size(), 2000u);
}

}  // namespace
}  // namespace semel
