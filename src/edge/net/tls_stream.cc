// tls_stream.cc: moves bytes between OpenSSL's memory and the connection.
#include "edge/net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace semel {

namespace {

constexpr std::size_t kSealedAtOnce = 64 * 1024;
// Answers that a peer can make OpenSSL hold back for the next write. A peer that asks for more than this is hostile.
constexpr std::size_t kHeldBackMax = 16 * 1024;
constexpr std::size_t kIdleBytesMax = 64 * 1024;

bool is_certificate_trouble(SSL* ssl, unsigned long error) {
  return SSL_get_verify_result(ssl) != X509_V_OK ||
         (ERR_GET_LIB(error) == ERR_LIB_SSL && (ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED ||
                                                ERR_GET_REASON(error) == SSL_R_EXCESSIVE_MESSAGE_SIZE));
}

// Pending counts a header that is not whole; "RB" is a whole header whose body is not.
bool holds_part_of_a_record(SSL* ssl) {
  return SSL_has_pending(ssl) == 1 || std::string_view(SSL_rstate_string(ssl)) == "RB";
}

ConnectFailure transport_failure(const Error& error) {
  const bool timed_out = error.fault == Fault::timed_out;
  return {.stage = timed_out ? ConnectFailure::Stage::tls : ConnectFailure::Stage::connect,
          .timed_out = timed_out,
          .note = "during the TLS handshake: " + error.note};
}

}  // namespace

TlsStream::TlsStream(TlsContext& context, std::unique_ptr<TcpStream> tcp, std::string target)
    : context_(context), tcp_(std::move(tcp)), target_(std::move(target)) {}

Result<std::unique_ptr<TlsStream>> TlsStream::create(TlsContext& context, std::unique_ptr<TcpStream> tcp,
                                                     const TlsName& name) {
  std::string target = name.name + "|" + egress::format_socket_address(tcp->peer());
  std::unique_ptr<TlsStream> stream(new TlsStream(context, std::move(tcp), std::move(target)));
  SEMEL_TRY(ssl, context.connection(name, stream->target_));
  stream->ssl_ = std::move(ssl);
  SSL_set_bio(stream->ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  return stream;
}

// Says goodbye when the connection is whole, so that the session can be resumed and the peer sees no truncation.
TlsStream::~TlsStream() {
  if (!established_ || broken_ || write_done_) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  tcp_->write_now(take_sealed());
  ERR_clear_error();
}

Co<std::expected<Nothing, ConnectFailure>> TlsStream::handshake(Cancel& cancel) {
  sealed_in_ = std::make_unique<std::array<char, 16 * 1024>>();
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1 && SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ) {
      auto failure = handshake_failure(SSL_get_error(ssl_.get(), result));
      tcp_->write_now(take_sealed());
      co_return std::unexpected(std::move(failure));
    }
    sealed_out_ = take_sealed();
    if (!sealed_out_.empty()) {
      auto sent = co_await call<Result<Nothing>>(
          [&](Done<Result<Nothing>> done) { tcp_->start_write(sealed_out_, cancel, std::move(done)); });
      if (!sent) co_return std::unexpected(transport_failure(sent.error()));
    }
    if (result == 1) break;
    auto got = co_await call<Result<std::size_t>>(
        [&](Done<Result<std::size_t>> done) { tcp_->start_read(*sealed_in_, cancel, std::move(done)); });
    if (!got) co_return std::unexpected(transport_failure(got.error()));
    feed(*got);
  }
  established_ = true;
  context_.keep_resumed(ssl_.get(), target_);
  co_return Nothing{};
}

ConnectFailure TlsStream::handshake_failure(int ssl_error) {
  broken_ = true;
  const bool certificate = is_certificate_trouble(ssl_.get(), ERR_peek_error());
  const long verified = SSL_get_verify_result(ssl_.get());
  std::string note = take_tls_error();
  if (verified != X509_V_OK) note = X509_verify_cert_error_string(verified);
  if (ssl_error == SSL_ERROR_ZERO_RETURN) note = "the peer ended the TLS handshake";
  return {.stage = certificate ? ConnectFailure::Stage::certificate : ConnectFailure::Stage::tls,
          .timed_out = false,
          .note = std::move(note)};
}

void TlsStream::start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) {
  SEMEL_CHECK(!read_done_);
  if (auto result = take_plain(into)) return done(*std::move(result));
  read_into_ = into;
  read_done_ = std::move(done);
  read_more(cancel);
}

void TlsStream::read_more(Cancel& cancel) {
  tcp_->start_read(*sealed_in_, cancel, [this, &cancel](Result<std::size_t> got) {
    std::optional<Result<std::size_t>> result;
    if (got) {
      feed(*got);
      result = take_plain(read_into_);
    } else {
      result = std::unexpected(std::move(got).error());
    }
    if (!result) return read_more(cancel);
    std::exchange(read_done_, nullptr)(*std::move(result));
  });
}

// What a read yields from the bytes that are here; nullopt when more are needed.
std::optional<Result<std::size_t>> TlsStream::take_plain(std::span<char> into) {
  if (broken_) return fail(Fault::unavailable, "the TLS connection is broken");
  ERR_clear_error();
  std::size_t size = 0;
  const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &size);
  if (result == 1) return size;
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_ZERO_RETURN) return std::size_t{0};
  const bool held_back_too_much = BIO_ctrl_pending(SSL_get_wbio(ssl_.get())) > kHeldBackMax;
  if (error == SSL_ERROR_WANT_READ && !held_back_too_much) return std::nullopt;
  broken_ = true;
  return fail(Fault::unavailable, held_back_too_much ? "too many TLS messages without data" : take_tls_error());
}

void TlsStream::start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) {
  SEMEL_CHECK(!write_done_);
  if (cancel.requested()) return done(fail(Fault::timed_out, "the deadline has passed"));
  write_rest_ = bytes;
  write_done_ = std::move(done);
  write_more(cancel);
}

// Seals a part, sends it, and goes on with the next one. A part that was sealed must leave whole: after a failure
// nothing more can be said on this connection.
void TlsStream::write_more(Cancel& cancel) {
  const std::span<const char> part = write_rest_.first(std::min(write_rest_.size(), kSealedAtOnce));
  ERR_clear_error();
  std::size_t taken = 0;
  if (broken_ || (!part.empty() && SSL_write_ex(ssl_.get(), part.data(), part.size(), &taken) != 1)) {
    broken_ = true;
    return std::exchange(write_done_, nullptr)(fail(Fault::unavailable, take_tls_error()));
  }
  write_rest_ = write_rest_.subspan(taken);
  sealed_out_ = take_sealed();
  tcp_->start_write(sealed_out_, cancel, [this, &cancel](Result<Nothing> sent) {
    if (!sent) broken_ = true;
    if (sent && !write_rest_.empty()) return write_more(cancel);
    std::exchange(write_done_, nullptr)(std::move(sent));
  });
}

Stream::Idle TlsStream::idle() {
  if (broken_) return Idle::closed;
  for (std::size_t taken = 0; taken <= kIdleBytesMax;) {
    char byte = 0;
    std::size_t size = 0;
    ERR_clear_error();
    const int result = SSL_peek_ex(ssl_.get(), &byte, 1, &size);
    if (result == 1) return Idle::has_bytes;
    if (SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ) return Idle::closed;

    const Result<std::size_t> got = tcp_->read_now(*sealed_in_);
    if (!got && got.error().fault == Fault::busy) {
      return holds_part_of_a_record(ssl_.get()) ? Idle::has_bytes : Idle::quiet;
    }
    if (!got || *got == 0) return Idle::closed;
    feed(*got);
    taken += *got;
  }
  return Idle::has_bytes;
}

void TlsStream::abort() {
  broken_ = true;
  tcp_->abort();
}

bool TlsStream::resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

// Hands bytes that came to OpenSSL; none means that the peer has ended the connection.
void TlsStream::feed(std::size_t size) {
  BIO* in = SSL_get_rbio(ssl_.get());
  if (size == 0) {
    BIO_set_mem_eof_return(in, 0);
    return;
  }
  SEMEL_CHECK(BIO_write(in, sealed_in_->data(), static_cast<int>(size)) == static_cast<int>(size));
}

std::string TlsStream::take_sealed() {
  BIO* out = SSL_get_wbio(ssl_.get());
  std::string bytes(BIO_ctrl_pending(out), '\0');
  if (!bytes.empty()) BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

}  // namespace semel
