// cases.h: tables of histories and of who has to be heard about each.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/check/testing/story.h"

namespace semel::sim {

struct Case {
  std::string what;
  std::string heard;  // the checker; empty: nobody
  void (*tell)(Story&);
};

inline void expect_heard(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    Story story;
    one.tell(story);
    if (one.heard.empty())
      EXPECT_EQ(story.who(), "") << one.what << ": " << (story.heard.empty() ? "" : story.heard.begin()->second);
    else
      EXPECT_TRUE(story.heard.contains(one.heard)) << one.what << "; heard were: " << story.who();
  }
}

}  // namespace semel::sim
