// wanted.h: what the command line of semel-sim asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "edge/sqlite/connection.h"
#include "sim/planted/planted.h"
#include "sim/run/arguments.h"
#include "sim/run/report.h"
#include "sim/run/workers.h"

namespace semel::sim {

struct Wanted {
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 0;
  std::uint64_t from = 1;
  std::optional<StoreKind> store;
  std::uint64_t recoveries = 0;
  std::optional<sqlite::Synchronous> synchronous;
  std::string kept_file;
  std::string planted;  // a fault's name, or "all"
  std::uint64_t planted_seeds = 2'000;
  Printed printed;
  Workers::Limits limits;
  bool until_stopped = false, trace = false, shrink = false, json = false, probes = false;
  Overrides overrides;

  // Nullptr: none, or all.
  const PlantedFault* planted_fault() const { return planted == "all" ? nullptr : find(planted); }
};

void add_options(CLI::App& app, Wanted& wanted);
// Throws CLI::ValidationError for what no single option's check sees. What is printed names what the options make of
// it.
void settle(Wanted& wanted);

}  // namespace semel::sim
