// tls_context.h: what all TLS connections share: whom to trust, what is allowed, and sessions to resume.
//
// Private to edge/net. Threads: the loop's thread only.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "edge/net/net.h"

namespace semel {

struct TlsDeleter {
  void operator()(SSL_CTX* context) const;
  void operator()(SSL* ssl) const;
  void operator()(SSL_SESSION* session) const;
};
using TlsHandle = std::unique_ptr<SSL, TlsDeleter>;
using TlsSession = std::unique_ptr<SSL_SESSION, TlsDeleter>;

// Sessions by what they were made for, so that one is only offered to the server and name that it was checked against.
// Bounded: the one unused longest goes first. A session is offered for an hour at most, since resuming it does not look
// at the certificate again.
class TlsSessions {
 public:
  static constexpr std::size_t kSessionsMax = 1024;
  static constexpr std::chrono::hours kUsableFor{1};

  void put(const std::string& target, TlsSession session, MonotonicTime now);
  // Removes it: a TLS 1.3 ticket is for one use, and each connection brings new ones. May be empty.
  TlsSession take(const std::string& target, MonotonicTime now);
  std::size_t size() const { return by_use_.size(); }

 private:
  struct Entry {
    std::string target;
    TlsSession session;
    MonotonicTime stored_at;
  };
  std::list<Entry> by_use_;  // newest first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_target_;
};

class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> create(Clock& clock, const TlsOptions& options);

  // A connection, not begun, that will accept only a certificate for `name`. `this` and `target` must outlive it.
  // Fault::invalid: no certificate can carry such a name.
  Result<TlsHandle> connection(const TlsName& name, const std::string& target);
  // Keeps the session of a TLS 1.2 connection that was resumed, since the server sends no new one.
  void keep_resumed(SSL* ssl, const std::string& target);

 private:
  explicit TlsContext(Clock& clock) : clock_(clock) {}
  void trust_system_once();
  static int on_new_session(SSL* ssl, SSL_SESSION* session);

  Clock& clock_;
  std::unique_ptr<SSL_CTX, TlsDeleter> context_;
  bool trusts_system_ = false;
  TlsSessions sessions_;
};

// What OpenSSL says about the last failure, for people; empties its queue of errors.
std::string take_tls_error();

}  // namespace semel
