// corpus_test.cc: every target over every input of its corpus and over a few hundred small changes of each, the same
// ones in every run. When a target fails, the input is written to a file and named, so that it can be replayed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace semel::fuzz {
namespace {

constexpr int kChangesPerInput = 300;
constexpr int kChangesOfTheCanary = 20'000;  // finds its fault from afar, at next to no cost
constexpr std::size_t kInputsMin = 5;
constexpr std::size_t kInputBytesMax = 8 * 1024;

struct Input {
  std::string name;
  std::string bytes;
};

std::vector<Input> corpus_of(std::string_view target) {
  std::vector<Input> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SEMEL_FUZZ_CORPUS "/").append(target))) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.push_back({entry.path().filename(), {std::istreambuf_iterator<char>(file), {}}});
  }
  std::ranges::sort(inputs, {}, &Input::name);
  return inputs;
}

// One to three small changes. `others` gives parts that are spliced in.
std::string changed(std::string bytes, const std::vector<Input>& others, Random& random) {
  for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
    const std::size_t at = random.below(bytes.size() + 1);
    const std::size_t length = std::min<std::size_t>(random.below(16), bytes.size() - at);
    switch (random.below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4: {
        const std::string& other = others[random.below(others.size())].bytes;
        const std::size_t from = random.below(other.size() + 1);
        bytes.insert(at, other, from, random.below(32));
        break;
      }
      case 5:
        bytes.insert(at, 1, static_cast<char>(random.below(256)));
        break;
    }
  }
  return bytes;
}

// What is being checked; only the handler of a crash reads it.
const std::string* input_at_work = nullptr;

void report_input() {
  static constexpr char kPath[] = "/tmp/semel-fuzz-failed-input";
  if (input_at_work == nullptr) return;
  const int file = ::open(kPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = ::write(file, input_at_work->data(), input_at_work->size()) >= 0;
  static constexpr char kText[] = "fuzz: the input is in /tmp/semel-fuzz-failed-input\n";
  if (written) (void)!::write(STDERR_FILENO, kText, sizeof kText - 1);
}

void report_and_die(int signal) {
  report_input();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void check(const Target& target, const std::string& bytes) {
  input_at_work = &bytes;
  target.check(bytes);
  input_at_work = nullptr;
}

void check_with_changes(const Target& target, const std::string& bytes, const std::vector<Input>& others, int changes) {
  check(target, bytes);
  SeededRandom random = chance_of(bytes);
  for (int n = 0; n < changes; ++n) check(target, changed(bytes, others, random));
}

class FuzzCorpus : public testing::TestWithParam<Target> {
 protected:
  static void SetUpTestSuite() {
    ::signal(SIGABRT, report_and_die);
    if (__sanitizer_set_death_callback != nullptr) {
      __sanitizer_set_death_callback(report_input);
    } else {
      ::signal(SIGSEGV, report_and_die);
    }
  }
};

TEST_P(FuzzCorpus, and_small_changes_of_it_break_no_property) {
  const std::vector<Input> inputs = corpus_of(GetParam().name);
  ASSERT_GE(inputs.size(), kInputsMin);
  for (const Input& input : inputs) {
    EXPECT_LE(input.bytes.size(), kInputBytesMax) << input.name;
    check_with_changes(GetParam(), input.bytes, inputs, kChangesPerInput);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FuzzCorpora, have_no_folder_that_no_target_reads) {
  for (const auto& entry : std::filesystem::directory_iterator(SEMEL_FUZZ_CORPUS)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "canary" || std::ranges::find(kTargets, name, &Target::name) != std::end(kTargets)) << name;
  }
}

constexpr Target kCanary{"canary", canary};

TEST(FuzzCanaryDeathTest, dies_of_the_input_that_is_known_to_break_it) {
  EXPECT_DEATH(check(kCanary, "canary in a mine"), "broken invariant");
}

TEST(FuzzCanaryDeathTest, small_changes_of_an_input_that_is_near_find_the_fault) {
  for (const Input& input : corpus_of("canary")) {
    check(kCanary, input.bytes);
    EXPECT_DEATH(check_with_changes(kCanary, input.bytes, {input}, kChangesOfTheCanary), "broken invariant")
        << input.name;
  }
}

}  // namespace
}  // namespace semel::fuzz
