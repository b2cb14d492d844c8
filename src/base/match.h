// match.h: visits a variant with one lambda per alternative; a missing alternative does not compile.
#pragma once

#include <utility>
#include <variant>

namespace semel {

template <class... F>
struct Match : F... {
  using F::operator()...;
};
template <class... F>
Match(F...) -> Match<F...>;

template <class Variant, class... F>
decltype(auto) match(Variant&& variant, F&&... f) {
  return std::visit(Match{std::forward<F>(f)...}, std::forward<Variant>(variant));
}

}  // namespace semel
