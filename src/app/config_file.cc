// config_file.cc: the configuration file (TOML).
#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>

#include "app/config.h"
#include "base/nearest.h"

namespace semel::app {

namespace {

constexpr std::array<std::string_view, 7> kKnown = {"allow_destination", "ca_file",         "behind_proxy", "listen",
                                                    "log_level",         "master_key_file", "store"};

std::string at(const toml::node& node) { return fmt::format("line {}: ", node.source().begin.line); }

Result<std::string> text_of(std::string_view name, const toml::node& node) {
  const std::optional<std::string> text = node.value_exact<std::string>();
  if (!text) return fail(Fault::invalid, fmt::format("{}{}: a string is expected", at(node), name));
  return *text;
}

Result<bool> flag_of(std::string_view name, const toml::node& node) {
  const std::optional<bool> flag = node.value_exact<bool>();
  if (!flag) return fail(Fault::invalid, fmt::format("{}{}: true or false is expected", at(node), name));
  return *flag;
}

Result<std::vector<std::string>> texts_of(std::string_view name, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr)
    return fail(Fault::invalid, fmt::format("{}{}: an array of strings is expected", at(node), name));
  std::vector<std::string> texts;
  for (const toml::node& element : *array) {
    SEMEL_TRY(text, text_of(name, element));
    texts.push_back(std::move(text));
  }
  return texts;
}

template <class T>
Result<void> take(std::optional<T>& into, Result<T> value) {
  if (!value) return std::unexpected(std::move(value.error()));
  into = *std::move(value);
  return {};
}

Result<void> take_setting(Settings& settings, std::string_view name, const toml::node& node) {
  if (name == "allow_destination") return take(settings.allow_destination, texts_of(name, node));
  if (name == "behind_proxy") return take(settings.behind_proxy, flag_of(name, node));
  if (name == "ca_file") return take(settings.ca_file, text_of(name, node));
  if (name == "listen") return take(settings.listen, text_of(name, node));
  if (name == "log_level") return take(settings.log_level, text_of(name, node));
  if (name == "master_key_file") return take(settings.master_key_file, text_of(name, node));
  if (name == "store") return take(settings.store, text_of(name, node));
  return fail(Fault::invalid,
              fmt::format("{}{} is not a known setting{}", at(node), name, nearest_name_hint(name, kKnown)));
}

Result<toml::table> parse(std::string_view toml) {
  try {
    return toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return fail(Fault::invalid, fmt::format("line {}, column {}: {}", error.source().begin.line,
                                            error.source().begin.column, error.description()));
  }
}

}  // namespace

Result<Settings> read_settings_file(std::string_view toml) {
  SEMEL_TRY(table, parse(toml));
  Settings settings;
  for (const auto& [name, node] : table) SEMEL_TRY_VOID(take_setting(settings, name.str(), node));
  return settings;
}

}  // namespace semel::app
