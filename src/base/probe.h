// probe.h: marks in the product that tests must reach, so that a path nobody exercises is found by its name.
//
// A mark costs one relaxed store when it is passed. The long run of the simulator fails on a mark it never passed
// (docs/testing.md). Names are AREA.WHAT_HAPPENED and stand once in the source.
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>
#include <vector>

namespace semel::probe {

class Mark {
 public:
  explicit Mark(std::string_view name) : name_(name), next_(first_) { first_ = this; }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  std::string_view name() const { return name_; }
  bool was_hit() const { return hit_.load(std::memory_order_relaxed); }
  void hit() { hit_.store(true, std::memory_order_relaxed); }

  // Every mark that is linked into this program, in the order of their names.
  static std::vector<const Mark*> all();

 private:
  static inline Mark* first_ = nullptr;  // written before main() only

  std::string_view name_;
  Mark* next_;
  std::atomic<bool> hit_ = false;
};

template <std::size_t N>
struct Name {
  char text[N];
  consteval Name(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

template <Name name>
struct Registered {
  static inline Mark mark{name.view()};
};

// probe::reached<"intake.key_was_bound">();
template <Name name>
void reached() {
  Registered<name>::mark.hit();
}

// probe::sometimes<"dispatcher.two_in_flight">(in_flight > 1);
template <Name name>
void sometimes(bool happens) {
  if (happens) Registered<name>::mark.hit();
}

}  // namespace semel::probe
