// arguments.cc: one option for each entry of the tables.
#include "sim/run/arguments.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim/check/body_text.h"

namespace semel::sim {
namespace {

constexpr std::int64_t kLengthMostMs = 365LL * 24 * 3'600'000;
constexpr std::uint32_t kNumberMost = 1'000'000;

std::string dashed(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string spelled(const FaultMask::Singles& singles) {
  std::vector<std::string> texts;
  for (const auto& [fault, number] : singles) texts.push_back(fmt::format("{}:{}", name_of(fault), number));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ","));
}

std::string spelled(const Faults::Rates& rates) {
  std::vector<std::string> texts;
  for (int i = 0; i < kFaultClasses; ++i)
    if (const std::uint32_t parts = rates[static_cast<std::size_t>(i)].parts; parts > 0)
      texts.push_back(fmt::format("{}:{}", name_of(static_cast<FaultClass>(i)), parts));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ","));
}

// Enumerators from 0 on, as text.
template <class Enum>
std::string names_of(int count) {
  std::vector<std::string_view> names;
  for (int i = 0; i < count; ++i) names.push_back(name_of(static_cast<Enum>(i)));
  return fmt::format("{}", fmt::join(names, ", "));
}

FaultClass parse_class(const std::string& name) {
  const std::optional<FaultClass> fault = fault_class_named(name);
  if (!fault)
    throw CLI::ValidationError(
        fmt::format("'{}' is not a class of faults: {}", name, names_of<FaultClass>(kFaultClasses)));
  return *fault;
}

struct Numbered {
  FaultClass fault;
  std::uint64_t number;
};
std::vector<Numbered> parse_numbered(const std::vector<std::string>& texts, std::uint64_t least, std::uint64_t most) {
  std::vector<Numbered> numbered;
  for (const std::string& text : texts) {
    if (text == "none") continue;
    const std::size_t colon = text.find(':');
    const FaultClass fault = parse_class(text.substr(0, colon));
    const auto number =
        colon == std::string::npos ? std::nullopt : whole_number(std::string_view(text).substr(colon + 1));
    if (!number || *number < least || *number > most)
      throw CLI::ValidationError(
          fmt::format("'{}' is not CLASS:NUMBER with a number from {} to {}", text, least, most));
    numbered.push_back({fault, *number});
  }
  return numbered;
}

FaultMask::Singles parse_singles(const std::vector<std::string>& texts) {
  FaultMask::Singles singles;
  for (const auto& [fault, number] : parse_numbered(texts, 1, kNumberMost)) singles.insert({fault, number});
  return singles;
}

Faults::Rates parse_rates(const std::vector<std::string>& texts) {
  Faults::Rates rates{};
  for (const auto& [fault, parts] : parse_numbered(texts, 0, percent(100).parts))
    rates[static_cast<std::size_t>(fault)] = {static_cast<std::uint32_t>(parts)};
  return rates;
}

Order parse_order(const std::string& name) {
  for (int i = 0; i < kOrders; ++i)
    if (name_of(static_cast<Order>(i)) == name) return static_cast<Order>(i);
  throw CLI::ValidationError(fmt::format("'{}' is not an order: {}", name, names_of<Order>(kOrders)));
}

using Texts = std::vector<std::string>;

}  // namespace

Overrides::Overrides() : lengths_(lengths().size()), numbers_(numbers().size()), flags_(flags().size()) {}

void Overrides::add_to(CLI::App& app) {
  const std::string group = "A world other than its seed draws it";
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    app.add_option(fmt::format("--{}-ms", dashed(lengths()[i].name)), lengths_[i], std::string(lengths()[i].says))
        ->check(CLI::Range(std::int64_t{1}, kLengthMostMs))
        ->group(group);
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    app.add_option(fmt::format("--{}", dashed(numbers()[i].name)), numbers_[i], std::string(numbers()[i].says))
        ->check(CLI::Range(numbers()[i].least, kNumberMost))
        ->group(group);
  for (std::size_t i = 0; i < flags_.size(); ++i) {
    const std::string name = dashed(flags()[i].name);
    const std::string says = fmt::format("{} (or --no-{})", flags()[i].says, name);
    const auto say = [this, i, name](bool value) {
      if (flags_[i].value_or(value) != value)
        throw CLI::ValidationError(fmt::format("--{0} and --no-{0} contradict each other", name));
      flags_[i] = value;
    };
    app.add_flag_callback("--" + name, [say] { say(true); }, says)->group(group);
    app.add_flag_callback("--no-" + name, [say] { say(false); })->group("");
  }
  app.add_option_function<std::string>(
         "--order", [this](const std::string& name) { order_ = parse_order(name); }, names_of<Order>(kOrders))
      ->group(group);
  app.add_option_function<Texts>(
         "--rates", [this](const Texts& texts) { rates_ = parse_rates(texts); }, "CLASS:PER-MILLION,.. or none")
      ->delimiter(',')
      ->group(group);
  app.add_option_function<Texts>(
         "--without",
         [this](const Texts& names) {
           for (const std::string& name : names) mask_.classes.insert(parse_class(name));
         },
         "CLASS,.. of " + names_of<FaultClass>(kFaultClasses))
      ->delimiter(',')
      ->group(group);
  app.add_option_function<Texts>(
         "--skip", [this](const Texts& texts) { mask_.single = parse_singles(texts); }, "CLASS:NUMBER,..")
      ->delimiter(',')
      ->group(group);
  app.add_option_function<Texts>(
         "--only", [this](const Texts& texts) { mask_.only = parse_singles(texts); }, "CLASS:NUMBER,.. or none")
      ->delimiter(',')
      ->group(group);
}

void Overrides::apply_to(Options& options) const {
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    if (lengths_[i]) options.*lengths()[i].member = milliseconds(*lengths_[i]);
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    if (numbers_[i]) options.*numbers()[i].member = *numbers_[i];
  for (std::size_t i = 0; i < flags_.size(); ++i)
    if (flags_[i]) options.*flags()[i].member = *flags_[i];
  if (order_) options.order = *order_;
  if (rates_) options.rates = *rates_;
  options.mask = mask_;
}

std::string arguments_of(const Options& options) {
  const Options drawn = draw_options(options.seed, options.store);
  std::string text = fmt::format("--seed {} --store {}", options.seed, name_of(options.store));
  for (const Length& length : lengths())
    if (options.*length.member != drawn.*length.member)
      text += fmt::format(" --{}-ms {}", dashed(length.name), (options.*length.member).count());
  for (const Number& number : numbers())
    if (options.*number.member != drawn.*number.member)
      text += fmt::format(" --{} {}", dashed(number.name), options.*number.member);
  for (const Flag& flag : flags())
    if (options.*flag.member != drawn.*flag.member)
      text += fmt::format(" --{}{}", options.*flag.member ? "" : "no-", dashed(flag.name));
  if (options.order != drawn.order) text += fmt::format(" --order {}", name_of(options.order));
  if (options.rates != drawn.rates) text += fmt::format(" --rates {}", spelled(options.rates));
  if (!options.mask.classes.empty()) {
    std::vector<std::string_view> names;
    for (const FaultClass fault : options.mask.classes) names.push_back(name_of(fault));
    text += fmt::format(" --without {}", fmt::join(names, ","));
  }
  if (!options.mask.single.empty()) text += fmt::format(" --skip {}", spelled(options.mask.single));
  if (options.mask.only) text += fmt::format(" --only {}", spelled(*options.mask.only));
  return text;
}

}  // namespace semel::sim
