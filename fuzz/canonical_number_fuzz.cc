// canonical_number_fuzz.cc: the canonical text of a number is a fixed point, has the literal's value and no other
// spelling of it has another text.
#include "core/idempotency/canonical_number.h"

#include <bit>
#include <cstdlib>
#include <string>

#include "base/json.h"
#include "core/idempotency/fingerprint.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using idempotency::canonical_number;

bool is_number(const std::string& text) {
  const Result<JsonDocument> document = parse_json(text, {.number_length_max = 2000});
  return document && document->root().kind() == JsonKind::number && document->root().raw() == text;
}

// The nearest double, which is the same for the same value; -0 is 0.
std::uint64_t double_bits(const std::string& literal) {
  const double number = std::strtod(literal.c_str(), nullptr);
  return std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
}

void check_spellings(const std::string& literal, const std::string& canonical) {
  if (literal.find_first_of("eE") != std::string::npos) return;
  const std::string with_fraction = literal + (literal.contains('.') ? "00" : ".00");
  for (const char* exponent : {"", "e0", "E+00", "e-0"})
    SEMEL_CHECK(canonical_number(with_fraction + exponent) == canonical);
  if (!literal.contains('.')) SEMEL_CHECK(canonical_number(literal + "000e-3") == canonical);
}

}  // namespace

void canonical_number(std::string_view bytes) {
  const std::string literal(bytes);
  if (!is_number(literal)) return;
  const std::string canonical = idempotency::canonical_number(literal);
  SEMEL_CHECK(is_number(canonical));
  SEMEL_CHECK(idempotency::canonical_number(canonical) == canonical);
  SEMEL_CHECK(double_bits(canonical) == double_bits(literal));
  SEMEL_CHECK(canonical != "-0" && !canonical.contains('E'));
  check_spellings(literal, canonical);
}

}  // namespace semel::fuzz
