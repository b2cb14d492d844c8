// disk_file_test.cc: what is found after a power failure, over many draws.
#include "sim/disk/disk_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace semel::sim {
namespace {

using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kDraws = 2'000;

std::string sectors(const std::string& letters) {
  std::string bytes;
  for (const char letter : letters) bytes += std::string(kSectorBytes, letter);
  return bytes;
}

// Each sector as the letter that fills it; '?' where it is torn.
std::string letters_of(const std::string& bytes) {
  std::string letters;
  for (std::size_t at = 0; at < bytes.size(); at += kSectorBytes) {
    const std::string sector = bytes.substr(at, kSectorBytes);
    letters += sector.find_first_not_of(sector[0]) == std::string::npos ? sector[0] : '?';
  }
  return letters;
}

// What all draws together leave of a file that `change` was done to.
template <class F>
std::set<std::string> found_after(F change) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    Draw draw(seed, "power");
    DiskFile file(1);
    change(file, draw);
    file.lose_power(draw);
    found.insert(letters_of(file.bytes()));
  }
  return found;
}

TEST(DiskFile, what_is_synced_survives) {
  EXPECT_THAT(found_after([](DiskFile& file, Draw&) {
                file.write(0, sectors("aaaa"));
                file.write(kSectorBytes, sectors("b"));
                file.truncate(3 * kSectorBytes);
                file.sync();
              }),
              UnorderedElementsAre("aba"));
}

TEST(DiskFile, of_what_is_not_synced_any_sectors_survive_and_none_is_torn) {
  EXPECT_THAT(found_after([](DiskFile& file, Draw&) {
                file.write(0, sectors("aaaa"));
                file.sync();
                file.write(0, sectors("bbb"));
              }),
              UnorderedElementsAre("aaaa", "aaba", "abaa", "abba", "baaa", "baba", "bbaa", "bbba"));
}

TEST(DiskFile, a_write_within_a_sector_leaves_the_bytes_around_it) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Draw draw(seed, "power");
    DiskFile file(1);
    file.write(0, sectors("a"));
    file.sync();
    file.write(10, "bbb");
    file.lose_power(draw);
    std::string expected = sectors("a");
    if (file.bytes()[10] == 'b') expected.replace(10, 3, "bbb");
    EXPECT_EQ(file.bytes(), expected);
  }
}

TEST(DiskFile, a_write_across_the_edge_of_a_sector_is_torn_there) {
  const std::string half(kSectorBytes / 2, 'b');
  std::set<std::pair<bool, bool>> found;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw(seed, "power");
    DiskFile file(1);
    file.write(0, sectors("aa"));
    file.sync();
    file.write(kSectorBytes / 2, half + half);
    file.lose_power(draw);
    found.emplace(file.bytes().substr(kSectorBytes / 2, half.size()) == half,
                  file.bytes().substr(kSectorBytes, half.size()) == half);
  }
  EXPECT_EQ(found.size(), 4u);
}

TEST(DiskFile, of_several_writes_to_one_sector_any_is_found_whatever_their_order) {
  EXPECT_THAT(found_after([](DiskFile& file, Draw&) {
                file.write(0, sectors("a"));
                file.sync();
                file.write(0, sectors("b"));
                file.write(0, sectors("c"));
              }),
              UnorderedElementsAre("a", "b", "c"));
}

TEST(DiskFile, a_truncation_is_a_change_like_others) {
  EXPECT_THAT(found_after([](DiskFile& file, Draw&) {
                file.write(0, sectors("aaa"));
                file.sync();
                file.truncate(kSectorBytes);
                file.write(kSectorBytes, sectors("b"));
              }),
              UnorderedElementsAre("aaa", "a", "ab", "aba"));
}

TEST(DiskFile, after_a_failed_sync_another_one_promises_nothing) {
  EXPECT_THAT(found_after([](DiskFile& file, Draw& draw) {
                file.write(0, sectors("aa"));
                file.sync();
                file.write(0, sectors("bb"));
                file.fail_sync(draw);
                EXPECT_EQ(letters_of(file.bytes()), "bb");
                file.sync();
              }),
              UnorderedElementsAre("aa", "ab", "ba", "bb"));
}

// ---- names ----

// What the name /d/x leads to after a power failure, over all draws: its content, or "-".
template <class F>
std::set<std::string> found_under_name(F change) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    DiskNames names;
    change(names);
    names.lose_power("/d/", Draw(seed, "power"));
    const auto file = names.find("/d/x");
    found.insert(file ? file->bytes() : "-");
  }
  return found;
}

void create_synced(DiskNames& names, const std::string& bytes) {
  const auto file = names.create("/d/x");
  file->write(0, bytes);
  file->sync();
}

TEST(DiskNames, a_new_name_is_durable_only_when_its_folder_is_synced) {
  EXPECT_THAT(found_under_name([](DiskNames& names) { create_synced(names, "new"); }),
              UnorderedElementsAre("-", "new"));
  EXPECT_THAT(found_under_name([](DiskNames& names) {
                create_synced(names, "new");
                names.sync_folder_of("/d/other");
              }),
              UnorderedElementsAre("new"));
  EXPECT_THAT(found_under_name([](DiskNames& names) {
                create_synced(names, "new");
                names.sync_folder_of("/e/x");
                names.sync_folder_of("/d/deeper/x");
              }),
              UnorderedElementsAre("-", "new"));
}

TEST(DiskNames, a_folder_s_sync_says_nothing_about_the_folders_in_it) {
  std::set<bool> found;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    DiskNames names;
    names.create("/d/deeper/x");
    names.sync_folder_of("/d/x");
    names.lose_power("/d/", Draw(seed, "power"));
    found.insert(names.find("/d/deeper/x") != nullptr);
  }
  EXPECT_THAT(found, UnorderedElementsAre(false, true));
}

TEST(DiskNames, a_removed_name_is_gone_for_good_only_when_its_folder_is_synced) {
  EXPECT_THAT(found_under_name([](DiskNames& names) {
                create_synced(names, "old");
                names.sync_folder_of("/d/x");
                names.remove("/d/x");
                EXPECT_EQ(names.find("/d/x"), nullptr);
              }),
              UnorderedElementsAre("-", "old"));
  EXPECT_THAT(found_under_name([](DiskNames& names) {
                create_synced(names, "old");
                names.remove("/d/x");
                names.sync_folder_of("/d/x");
              }),
              UnorderedElementsAre("-"));
}

TEST(DiskNames, a_name_that_was_removed_and_made_again_is_found_in_any_of_its_states) {
  EXPECT_THAT(found_under_name([](DiskNames& names) {
                create_synced(names, "old");
                names.sync_folder_of("/d/x");
                names.remove("/d/x");
                create_synced(names, "new");
              }),
              UnorderedElementsAre("old", "-", "new"));
}

TEST(DiskNames, a_power_failure_is_one_host_s) {
  DiskNames names;
  names.create("/e/x")->write(0, "unsynced");
  names.lose_power("/d/", Draw(1, "power"));
  EXPECT_EQ(names.find("/e/x")->bytes(), "unsynced");
}

}  // namespace
}  // namespace semel::sim
