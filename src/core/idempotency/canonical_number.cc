// canonical_number.cc: a literal taken apart into digits and exponent, and put together again.
#include "core/idempotency/canonical_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/idempotency/fingerprint.h"

namespace semel::idempotency {
namespace {

constexpr std::size_t kPlainDigitsMax = 21;     // up to here ECMAScript prints no exponent
constexpr std::int64_t kLeadingZerosMax = 6;    // 0.000001 is printed plainly, 1e-7 is not
constexpr std::size_t kExponentDigitsMax = 17;  // longer exponents are added as text

// The value is 0.DIGITS times ten to the power of its exponent, which is split so that a literal's own exponent may
// have hundreds of digits: `shift` from the place of the point, `written` from behind the e.
struct Decimal {
  std::string digits;  // neither begins nor ends with 0; empty for zero
  std::int64_t shift = 0;
  std::string_view written;  // without leading zeros
  bool written_negative = false;
};

std::string_view without_leading_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

Decimal take_apart(std::string_view unsigned_literal) {
  Decimal decimal;
  const std::size_t e = unsigned_literal.find_first_of("eE");
  const std::string_view mantissa = unsigned_literal.substr(0, e);
  if (e != std::string_view::npos) {
    std::string_view exponent = unsigned_literal.substr(e + 1);
    decimal.written_negative = exponent.starts_with('-');
    if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
    decimal.written = without_leading_zeros(exponent);
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  decimal.digits = mantissa.substr(0, point);
  if (point != mantissa.size()) decimal.digits += mantissa.substr(point + 1);
  const std::size_t zeros = decimal.digits.size() - without_leading_zeros(decimal.digits).size();
  decimal.digits.erase(0, zeros);
  decimal.digits.erase(decimal.digits.find_last_not_of('0') + 1);
  decimal.shift = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(zeros);
  return decimal;
}

// The exponent behind the e of d.ddd, where it is small enough for the plain layouts to be possible.
std::int64_t small_exponent(const Decimal& decimal) {
  std::int64_t written = 0;
  std::from_chars(decimal.written.data(), decimal.written.data() + decimal.written.size(), written);
  return (decimal.written_negative ? -written : written) + decimal.shift - 1;
}

// `magnitude` + `addend` in decimal text, for a magnitude far above the addend's.
std::string add_to_magnitude(std::string_view magnitude, std::int64_t addend) {
  std::string sum(magnitude);
  std::int64_t carry = addend;
  for (auto digit = sum.rbegin(); digit != sum.rend(); ++digit) {
    carry += *digit - '0';
    const std::int64_t remainder = (carry % 10 + 10) % 10;
    *digit = static_cast<char>('0' + remainder);
    carry = (carry - remainder) / 10;
  }
  if (carry > 0) sum.insert(0, std::to_string(carry));
  return std::string(without_leading_zeros(sum));
}

void append_scientific(std::string& out, const std::string& digits, bool exponent_negative, std::string_view exponent) {
  out += digits[0];
  if (digits.size() > 1) {
    out += '.';
    out.append(digits, 1);
  }
  out += exponent_negative ? "e-" : "e+";
  out += exponent;
}

void append_decimal(std::string& out, const Decimal& decimal) {
  const std::string& digits = decimal.digits;
  if (decimal.written.size() > kExponentDigitsMax) {
    const std::int64_t addend = decimal.written_negative ? 1 - decimal.shift : decimal.shift - 1;
    append_scientific(out, digits, decimal.written_negative, add_to_magnitude(decimal.written, addend));
    return;
  }
  const std::int64_t exponent = small_exponent(decimal);
  const std::int64_t point = exponent + 1;  // how many digits stand before the point
  const auto count = static_cast<std::int64_t>(digits.size());
  if (point > static_cast<std::int64_t>(kPlainDigitsMax) || point <= -kLeadingZerosMax) {
    append_scientific(out, digits, exponent < 0, std::to_string(exponent < 0 ? -exponent : exponent));
  } else if (point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0');
    out += digits;
  } else if (count <= point) {
    out += digits;
    out.append(static_cast<std::size_t>(point - count), '0');
  } else {
    out.append(digits, 0, static_cast<std::size_t>(point));
    out += '.';
    out.append(digits, static_cast<std::size_t>(point));
  }
}

}  // namespace

void append_canonical_number(std::string& out, std::string_view literal) {
  const bool negative = literal.starts_with('-');
  const std::string_view magnitude = literal.substr(negative ? 1 : 0);
  const bool is_integer = magnitude.find_first_of(".eE") == std::string_view::npos;
  if (is_integer && magnitude.size() <= kPlainDigitsMax) {
    out += magnitude == "0" ? magnitude : literal;
    return;
  }
  const Decimal decimal = take_apart(magnitude);
  if (decimal.digits.empty()) {
    out += '0';
    return;
  }
  if (negative) out += '-';
  append_decimal(out, decimal);
}

std::string canonical_number(std::string_view literal) {
  std::string out;
  append_canonical_number(out, literal);
  return out;
}

}  // namespace semel::idempotency
