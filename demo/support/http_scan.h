// http_scan.h: finds where an HTTP/1.1 message of a trusted peer ends. Bodies have a content-length or are empty.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace semel::harness {

struct Message {
  std::string_view head;  // up to and including the empty line
  std::string_view body;
  std::size_t size() const { return head.size() + body.size(); }
};

inline bool starts_with_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if ((text[i] | 0x20) != lower[i] && text[i] != lower[i]) return false;
  return true;
}

// The value of header `name` (lower case, with its colon), outer spaces removed; empty when absent.
inline std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t line = head.find("\r\n"); line != std::string_view::npos; line = head.find("\r\n", line + 2)) {
    const std::string_view rest = head.substr(line + 2);
    if (!starts_with_ignoring_case(rest, name)) continue;
    std::string_view value = rest.substr(name.size(), rest.find("\r\n") - name.size());
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

// nullopt: more bytes are needed.
inline std::optional<Message> scan_message(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = bytes.substr(0, end + 4);
  const std::string_view length_text = header(head, "content-length:");
  std::size_t length = 0;
  std::from_chars(length_text.data(), length_text.data() + length_text.size(), length);
  if (bytes.size() < head.size() + length) return std::nullopt;
  return Message{head, bytes.substr(head.size(), length)};
}

inline int status_of(std::string_view head) {  // "HTTP/1.1 202 ..."
  int status = 0;
  if (head.size() > 12) std::from_chars(head.data() + 9, head.data() + 12, status);
  return status;
}

}  // namespace semel::harness
