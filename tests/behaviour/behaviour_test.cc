// behaviour_test.cc: runs every script of this folder, each on a store of its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/testing/temp_folder.h"
#include "behaviour/script.h"

namespace semel::behaviour {
namespace {

std::vector<std::string> scripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SEMEL_BEHAVIOUR_SCRIPTS))
    if (entry.path().extension() == ".test") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(SEMEL_BEHAVIOUR_SCRIPTS) + "/" + name + ".test");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Behaviour : public testing::TestWithParam<std::string> {};

TEST_P(Behaviour, holds) {
  const TempFolder folder;
  EXPECT_EQ(run_script(text_of(GetParam()), folder.path()), "");
}

INSTANTIATE_TEST_SUITE_P(Script, Behaviour, testing::ValuesIn(scripts()), [](const auto& info) { return info.param; });

// The runner itself must be able to fail.
TEST(BehaviourScript, a_wrong_expectation_is_reported_with_its_line) {
  const TempFolder folder;
  EXPECT_EQ(run_script("endpoint shop\nsend a.b id=e1\nexpect attempt shop e1 #2\n", folder.path()).substr(0, 6),
            "line 3");
}

}  // namespace
}  // namespace semel::behaviour
