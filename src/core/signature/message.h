// message.h: what signer and verifier must see alike: the signed bytes, the life of a key, whole seconds.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "core/signature/signature.h"

namespace semel::signature {

inline constexpr std::string_view kHmacVersion = "v1";
inline constexpr std::string_view kEd25519Version = "v1a";

inline bool is_live(const KeyWindow& window, WallTime now) { return !window.not_after || now < *window.not_after; }

inline std::int64_t whole_seconds(WallTime time) { return time.ms / 1000; }

// Unambiguous because neither id nor timestamp contains a dot.
inline std::string join_message(std::string_view id, std::string_view timestamp, std::string_view body) {
  std::string message;
  message.reserve(id.size() + timestamp.size() + body.size() + 2);
  message.append(id).append(".").append(timestamp).append(".").append(body);
  return message;
}

}  // namespace semel::signature
