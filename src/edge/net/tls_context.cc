// tls_context.cc: OpenSSL's settings in one place.
#include "edge/net/tls_context.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <utility>

#include "base/check.h"
#include "core/egress/address.h"

namespace semel {

namespace {

constexpr long kCertificateChainBytesMax = 100 * 1024;

// Where a connection finds its context and target again when a session arrives.
int context_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}
int target_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

void TlsDeleter::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
void TlsDeleter::operator()(SSL* ssl) const { SSL_free(ssl); }
void TlsDeleter::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

std::string take_tls_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "TLS failed" : reason;
}

void TlsSessions::put(const std::string& target, TlsSession session, MonotonicTime now) {
  if (const auto known = by_target_.find(target); known != by_target_.end()) {
    by_use_.erase(known->second);
    by_target_.erase(known);
  }
  if (by_use_.size() == kSessionsMax) {
    by_target_.erase(by_use_.back().target);
    by_use_.pop_back();
  }
  by_use_.push_front({target, std::move(session), now});
  by_target_.emplace(target, by_use_.begin());
}

TlsSession TlsSessions::take(const std::string& target, MonotonicTime now) {
  const auto known = by_target_.find(target);
  if (known == by_target_.end()) return nullptr;
  Entry entry = std::move(*known->second);
  by_use_.erase(known->second);
  by_target_.erase(known);
  if (now - entry.stored_at > kUsableFor) return nullptr;
  return std::move(entry.session);
}

Result<std::unique_ptr<TlsContext>> TlsContext::create(Clock& clock, const TlsOptions& options) {
  std::unique_ptr<TlsContext> made(new TlsContext(clock));
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = made->context_.get();
  SEMEL_CHECK(context != nullptr);

  SEMEL_CHECK(SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_max_cert_list(context, kCertificateChainBytesMax);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (options.ca_file && SSL_CTX_load_verify_file(context, options.ca_file->c_str()) != 1) {
    return fail(Fault::invalid, "cannot read certificates from " + *options.ca_file + ": " + take_tls_error());
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, &TlsContext::on_new_session);
  return made;
}

// Reading the system's certificates can take 100 ms, which a process that makes no TLS connection need not wait for.
void TlsContext::trust_system_once() {
  if (std::exchange(trusts_system_, true)) return;
  SEMEL_CHECK(SSL_CTX_set_default_verify_paths(context_.get()) == 1);
  ERR_clear_error();
}

Result<TlsHandle> TlsContext::connection(const TlsName& name, const std::string& target) {
  trust_system_once();
  TlsHandle ssl(SSL_new(context_.get()));
  SEMEL_CHECK(ssl != nullptr);
  X509_VERIFY_PARAM* checks = SSL_get0_param(ssl.get());
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const bool accepted = egress::parse_ip(name.name)
                            ? X509_VERIFY_PARAM_set1_ip_asc(checks, name.name.c_str()) == 1
                            : !name.name.empty() && SSL_set1_host(ssl.get(), name.name.c_str()) == 1 &&
                                  SSL_set_tlsext_host_name(ssl.get(), name.name.c_str()) == 1;
  if (!accepted) return fail(Fault::invalid, "not a name that a certificate can carry");

  SSL_set_ex_data(ssl.get(), context_index(), this);
  SSL_set_ex_data(ssl.get(), target_index(), const_cast<std::string*>(&target));
  if (const TlsSession session = sessions_.take(target, clock_.now())) SSL_set_session(ssl.get(), session.get());
  SSL_set_connect_state(ssl.get());
  return ssl;
}

void TlsContext::keep_resumed(SSL* ssl, const std::string& target) {
  if (SSL_version(ssl) != TLS1_2_VERSION || SSL_session_reused(ssl) != 1) return;
  sessions_.put(target, TlsSession(SSL_get1_session(ssl)), clock_.now());
}

int TlsContext::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* self = static_cast<TlsContext*>(SSL_get_ex_data(ssl, context_index()));
  const auto* target = static_cast<const std::string*>(SSL_get_ex_data(ssl, target_index()));
  self->sessions_.put(*target, TlsSession(session), self->clock_.now());
  return 1;  // the session is ours now
}

}  // namespace semel
