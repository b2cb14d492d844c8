// test_tls_peer.h: for tests: certificates made on the spot, and a TLS server on a thread that does what a test says.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/check.h"
#include "edge/net/sockaddr.h"
#include "edge/os/descriptor.h"

namespace semel {

struct Identity {
  std::shared_ptr<EVP_PKEY> key;
  std::shared_ptr<X509> certificate;

  std::string pem() const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_X509(out.get(), certificate.get());
    std::string text(BIO_ctrl_pending(out.get()), '\0');
    BIO_read(out.get(), text.data(), static_cast<int>(text.size()));
    return text;
  }
};

struct IdentityRequest {
  std::string names;                 // subjectAltName, "DNS:a.example,IP:127.0.0.1"; empty: an authority
  const Identity* issuer = nullptr;  // none: signed by itself
  long valid_for_s = 3600;
};

inline Identity make_identity(const IdentityRequest& request) {
  Identity made{{EVP_EC_gen("P-256"), EVP_PKEY_free}, {X509_new(), X509_free}};
  X509* x509 = made.certificate.get();
  static long serial = 1;
  X509_set_version(x509, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), serial++);
  X509_gmtime_adj(X509_getm_notBefore(x509), -7200);
  X509_gmtime_adj(X509_getm_notAfter(x509), request.valid_for_s);
  X509_set_pubkey(x509, made.key.get());
  X509_NAME* subject = X509_get_subject_name(x509);
  const std::string name = request.names.empty() ? "authority" : "leaf";
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                             0);
  const Identity& issuer = request.issuer == nullptr ? made : *request.issuer;
  X509_set_issuer_name(x509, X509_get_subject_name(issuer.certificate.get()));
  const auto extend = [&](int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    SEMEL_CHECK(extension != nullptr && X509_add_ext(x509, extension, -1) == 1);
    X509_EXTENSION_free(extension);
  };
  if (request.names.empty()) {
    extend(NID_basic_constraints, "critical,CA:TRUE");
  } else {
    extend(NID_subject_alt_name, request.names);
  }
  SEMEL_CHECK(X509_sign(x509, issuer.key.get(), EVP_sha256()) > 0);
  return made;
}

// Takes `connections` connections one after another; `serve` runs after each handshake, also a failed one.
class TlsPeer {
 public:
  struct Options {
    int version = TLS1_3_VERSION;
    int connections = 1;
    int certificates_in_chain = 1;
  };
  TlsPeer(const Identity& identity, Options options, std::function<void(SSL*)> serve)
      : listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    SSL_CTX_set_min_proto_version(context_.get(), options.version);
    SSL_CTX_set_max_proto_version(context_.get(), options.version);
    SSL_CTX_use_certificate(context_.get(), identity.certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), identity.key.get());
    for (int i = 1; i < options.certificates_in_chain; ++i) {
      SSL_CTX_add1_chain_cert(context_.get(), identity.certificate.get());
    }
    SystemAddress at = to_system(egress::parse_socket_address("127.0.0.1:0").value());
    SEMEL_CHECK(bind(listening_.get(), at.data(), at.size) == 0);
    SEMEL_CHECK(::listen(listening_.get(), 16) == 0);
    SEMEL_CHECK(getsockname(listening_.get(), at.data(), &at.size) == 0);
    address_ = from_system(at.data()).value();
    thread_ = std::thread([this, options, run = std::move(serve)] {
      for (int i = 0; i < options.connections; ++i) take_one(run);
    });
  }
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;
  ~TlsPeer() { thread_.join(); }

  egress::SocketAddress address() const { return address_; }

 private:
  void take_one(const std::function<void(SSL*)>& serve) const {
    const Descriptor connection(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const int on = 1;
    setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(ssl.get(), connection.get());
    SSL_accept(ssl.get());
    serve(ssl.get());
  }

  Descriptor listening_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  egress::SocketAddress address_;
  std::thread thread_;
};

}  // namespace semel
