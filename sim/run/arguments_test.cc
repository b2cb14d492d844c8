// arguments_test.cc: the printed command line makes the same world again.
#include "sim/run/arguments.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace semel::sim {
namespace {

// What a command line with --seed and --store makes.
Options made_by(const std::string& arguments) {
  CLI::App app;
  std::uint64_t seed = 0;
  std::string store;
  Overrides overrides;
  app.add_option("--seed", seed);
  app.add_option("--store", store);
  overrides.add_to(app);
  app.parse(arguments);
  Options options = draw_options(seed, store == "disk" ? StoreKind::disk : StoreKind::memory);
  overrides.apply_to(options);
  return options;
}

TEST(Arguments, of_a_world_as_its_seed_draws_it_are_the_seed_and_the_store) {
  EXPECT_EQ(arguments_of(draw_options(17, StoreKind::disk)), "--seed 17 --store disk");
}

TEST(Arguments, make_a_changed_world_again) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Options options = draw_options(seed, StoreKind::memory);
    for (const Flag& flag : flags()) options.*flag.member = !(options.*flag.member);
    for (const Number& number : numbers()) options.*number.member += 1;
    for (const Length& length : lengths()) options.*length.member += milliseconds(1);
    options.order = static_cast<Order>(seed % kOrders);
    options.mask.classes = {FaultClass::cut, FaultClass::dns};
    options.mask.single = {{FaultClass::tls, 3}, {FaultClass::tls, 12}};
    if (seed % 2 == 0) options.rates[static_cast<std::size_t>(FaultClass::clog)] = percent(7);
    if (seed == 9) options.rates = {};
    if (seed % 3 == 0) options.mask.only = FaultMask::Singles{};
    if (seed % 3 == 1) options.mask.only = FaultMask::Singles{{FaultClass::drip, 1}, {FaultClass::stall, 20}};
    EXPECT_EQ(describe(made_by(arguments_of(options))), describe(options)) << arguments_of(options);
  }
}

TEST(Arguments, may_say_that_a_class_never_strikes) {
  const Options options = made_by("--seed 1 --store memory --rates cut:0,dns:5");
  EXPECT_EQ(options.rates[static_cast<std::size_t>(FaultClass::cut)].parts, 0u);
  EXPECT_EQ(options.rates[static_cast<std::size_t>(FaultClass::dns)].parts, 5u);
}

TEST(Arguments, that_make_no_sense_are_refused) {
  for (const std::string wrong : {"--without rain", "--skip cut", "--skip cut:0", "--skip cut:x", "--only rain:1",
                                  "--order backwards", "--honest 0", "--honest -1", "--duration-ms 0", "--rates cut",
                                  "--rates cut:1000001", "--rates cut:", "--twins --no-twins"})
    EXPECT_THROW(made_by("--seed 1 --store memory " + wrong), CLI::Error) << wrong;
}

}  // namespace
}  // namespace semel::sim
