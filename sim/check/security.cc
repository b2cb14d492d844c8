// security.cc: where the server connects to, what it signs, and what it never says.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/check/groups.h"
#include "sim/check/needles.h"
#include "sim/check/seals.h"

namespace semel::sim {
namespace {

// The server connects to receivers, and to strangers in public where a name service has lied, but never to an address
// that is not public, whatever names and redirects say.
class SsrfPeer final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-SSRF-PEER"; }

  void connect_asked(std::string_view process, const egress::SocketAddress& to) override {
    if (process == kServerProcess && !known_.receivers.contains(to) && !is_stranger(to))
      violated(fmt::format("the server connects to {}", egress::format_socket_address(to)));
  }

 private:
  // The public addresses that a dns fault answers: 203.0.114.0/24 (sim/net/sim_net.cc).
  static bool is_stranger(const egress::SocketAddress& to) {
    const auto& bytes = to.ip.bytes;
    return to.ip.family == egress::IpAddress::Family::v4 && bytes[0] == 203 && bytes[1] == 0 && bytes[2] == 114 &&
           to.port == 443;
  }
};

// Each request carries one signature, and it is that of its endpoint's secret over the bytes that left. Of the slow
// kind (Ed25519) every sixteenth is looked at, and the first eight of each secret.
class SignatureAll final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-SIG-ALL"; }

  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    if (!endpoint || endpoint->secret.empty()) return;  // its answer was lost: nobody knows its secret
    Sealed& sealed = seal_of(endpoint->secret);
    const std::uint64_t number = ++sealed.requests;
    if (sealed.seal.is_ed25519() && number > 2 && number % 64 != 0) return;
    message_.clear();
    message_.append(request.header("webhook-id")).append(".");
    message_.append(request.header("webhook-timestamp")).append(".").append(request.body);
    if (!sealed.seal.verifies(request.header("webhook-signature"), message_))
      violated(fmt::format("attempt {} of {} to {} does not verify", request.header("semel-attempt"),
                           request.header("webhook-id"), endpoint->id.text));
  }

 private:
  struct Sealed {
    Seal seal;
    std::uint64_t requests = 0;
  };
  Sealed& seal_of(const std::string& secret) {
    const auto found = seals_.find(secret);
    if (found != seals_.end()) return found->second;
    return seals_.emplace(secret, Sealed{Seal(secret)}).first->second;
  }

  std::unordered_map<std::string, Sealed> seals_;
  std::string message_;
};

// No secret in logs, in files, in requests, or in any answer but the one that made it. A body is looked through with
// its first attempt: I-STABLE-ID sees to it that it stays as it is.
class SecretZero final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-SECRET-ZERO"; }

  void endpoint_made(const KnownEndpoint& endpoint) override {
    const std::size_t prefix = endpoint.secret.find('_');
    if (prefix == std::string::npos) return;
    std::string text = endpoint.secret.substr(prefix + 1);
    secrets_.add(base64_decoded(text));
    while (text.ends_with('=')) text.pop_back();
    secrets_.add(std::move(text));
  }

  void logged(std::string_view process, std::string_view line) override { look_in(line, process, "'s log"); }
  void bytes_stored(std::string_view path, std::string_view bytes) override { look_in(bytes, path, ""); }

  void request_left(const WireRequest& request, const KnownEndpoint*) override {
    const std::string_view id = request.header("webhook-id");
    for (const auto& [name, value] : request.headers) look_in(value, id, "'s headers");
    look_in(request.target, id, "'s target");
    if (request.header("semel-attempt") == "1") look_in(request.body, id, "'s body");
  }

  void api_answered(std::string_view path, int status, std::string_view body) override {
    const bool shows_once = status == 201 && (path == "/v1/endpoints" || path == "/v1/keys");
    if (!shows_once) look_in(body, path, "");
  }

  // What the store is given may name an endpoint whose secret is not known yet.
  void commit_asked(const store::WriteSet& write_set, Fence) override {
    const auto* create = std::get_if<store::CreateEndpoint>(&write_set);
    if (create) given_to_store_ += create->sealed_secret + "\n" + create->config_json + "\n";
  }
  void inspected(const Inspection& inspection) override {
    if (inspection.when != Inspection::When::restarted) look_in(given_to_store_, "the store", "'s rows");
  }

 private:
  void look_in(std::string_view text, std::string_view where, std::string_view part) {
    for (; keys_known_ < known_.api_keys.size(); ++keys_known_) {
      const std::string& key = known_.api_keys[keys_known_];
      secrets_.add(key.substr(key.find('.') + 1));  // its id is no secret
    }
    if (secrets_.find_in(text)) violated(fmt::format("a secret stands in {}{}", where, part));
  }

  Needles secrets_;
  std::size_t keys_known_ = 0;
  std::string given_to_store_;
};

}  // namespace

void make_security_checkers(Making& making) {
  making.add<SsrfPeer>();
  making.add<SignatureAll>();
  making.add<SecretZero>();
}

}  // namespace semel::sim
