// url_fuzz.cc: a URL that was taken has one normal form, which is read back as itself, and no rule allows what a
// reading of the same URL in another place could take for something else.
#include "core/egress/url.h"

#include <string>

#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using egress::EgressRules;
using egress::Scheme;
using egress::Url;

EgressRules everything_allowed() {
  return {.allowed = {*egress::parse_allowed_range("0.0.0.0/0:1-65535"), *egress::parse_allowed_range("::/0:1-65535")}};
}

bool same(const Url& a, const Url& b) {
  return a.scheme == b.scheme && a.host == b.host && a.literal == b.literal && a.port == b.port && a.target == b.target;
}

void check_host(const Url& url) {
  const auto is_host_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  if (url.literal) {
    SEMEL_CHECK(egress::parse_ip(url.host) == url.literal);
    SEMEL_CHECK(egress::format_ip(*url.literal) == url.host);
    return;
  }
  SEMEL_CHECK(!url.host.empty() && url.host.size() <= 253);
  SEMEL_CHECK(std::ranges::all_of(url.host, is_host_character));
  SEMEL_CHECK(!url.host.starts_with('.') && !url.host.ends_with('.') && !url.host.contains(".."));
  SEMEL_CHECK(!egress::parse_ip(url.host));
}

void check_url(const Url& url) {
  check_host(url);
  SEMEL_CHECK(url.port != 0);
  SEMEL_CHECK(url.target.starts_with('/'));
  SEMEL_CHECK(std::ranges::all_of(url.target, [](char c) { return c > 0x20 && c < 0x7F && c != '#' && c != '\\'; }));
  const std::string text = url.text();
  const Result<Url> again = egress::read_url(text);
  SEMEL_CHECK(again.has_value());
  SEMEL_CHECK(same(*again, url));
  SEMEL_CHECK(again->text() == text);
}

void check_allowed(const Url& url) {
  SEMEL_CHECK(url.scheme == Scheme::https);
  SEMEL_CHECK(egress::is_default_port(url.port));
  SEMEL_CHECK(url.literal ? egress::is_public(*url.literal) : url.host.contains('.'));
  for (const char* local : {".localhost", ".local", ".internal", ".svc"}) SEMEL_CHECK(!url.host.ends_with(local));
}

}  // namespace

void url(std::string_view bytes) {
  static const EgressRules kOpen = everything_allowed();
  const Result<Url> read = egress::read_url(bytes);
  const Result<Url> allowed = egress::parse_url(bytes, {});
  const Result<Url> opened = egress::parse_url(bytes, kOpen);
  for (const Result<Url>* refused : {&read, &allowed, &opened})
    SEMEL_CHECK(refused->has_value() || is_plain(refused->error().note));
  if (read) check_url(*read);
  if (opened) SEMEL_CHECK(read && same(*opened, *read));
  if (allowed) {
    SEMEL_CHECK(read && same(*allowed, *read));
    SEMEL_CHECK(opened.has_value());
    check_allowed(*allowed);
  }
  if (read && !opened) SEMEL_CHECK(opened.error().fault == Fault::forbidden);
}

}  // namespace semel::fuzz
