// arguments.h: the options of a world on the command line: what its seed draws, and what is said otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/world/options.h"

namespace CLI {
class App;
}

namespace semel::sim {

// What the command line says about worlds beside their seed: one option for each entry of the tables in options.h, and
// --order, --rates CLASS:PER-MILLION,.. --without CLASS,.. --skip CLASS:NUMBER,.. --only CLASS:NUMBER,..
class Overrides {
 public:
  Overrides();
  void add_to(CLI::App& app);  // which must be parsed while this lives
  void apply_to(Options& options) const;

 private:
  std::vector<std::optional<std::int64_t>> lengths_;
  std::vector<std::optional<std::uint32_t>> numbers_;
  std::vector<std::optional<bool>> flags_;
  std::optional<Order> order_;
  std::optional<Faults::Rates> rates_;
  FaultMask mask_;
};

// The arguments that make a world of these options again.
std::string arguments_of(const Options& options);

}  // namespace semel::sim
