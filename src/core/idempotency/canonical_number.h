// canonical_number.h: one text for each decimal value, laid out as ECMAScript prints numbers.
//
// Nothing is rounded: every digit of the literal counts, so integers above 2^53 and exponents beyond a double's stay
// distinct. For numbers of up to 15 significant digits the text is that of RFC 8785.
#pragma once

#include <string>
#include <string_view>

namespace semel::idempotency {

// `literal` is a number by the grammar of RFC 8259.
void append_canonical_number(std::string& out, std::string_view literal);

}  // namespace semel::idempotency
