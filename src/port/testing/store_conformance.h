// store_conformance.h: the store that a test program puts before the suite of store_conformance_test.cc. The program
// compiles that file in and defines store_under_test().
#pragma once

#include <functional>
#include <memory>
#include <ostream>

#include "port/store.h"

namespace semel::store {

// A store and the turns of its loop.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Store& store() = 0;
  virtual void drain() = 0;
  virtual void reopen() = 0;
};

struct StoreKind {
  const char* name;
  std::function<std::unique_ptr<Subject>()> make;
  friend std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }
};

StoreKind store_under_test();

}  // namespace semel::store
