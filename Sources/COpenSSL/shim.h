#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509err.h>

// Macros, which Swift can't see.

static inline int openssl_set_minimum_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline void openssl_set_server_options(SSL_CTX *context) {
  // A connection that ends without close_notify is no error of ours: HTTP messages say where they end.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
}

static inline void openssl_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }

static inline void openssl_set_memory_end(BIO *memory) {
  // An empty buffer means that more must come, not that the peer has left.
  BIO_set_mem_eof_return(memory, -1);
}

// ALPN (RFC 7301): `http/1.1` if the client offers it; else, if it offers anything, no common protocol.
static inline int openssl_select_http11(SSL *session, const unsigned char **chosen, unsigned char *length,
                                        const unsigned char *offered, unsigned int count, void *unused) {
  static const unsigned char protocols[] = "\x08http/1.1";
  (void)session, (void)unused;
  return SSL_select_next_proto((unsigned char **)chosen, length, protocols, sizeof protocols - 1, offered,
                               count) == OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void openssl_speak_http11(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, openssl_select_http11, NULL);
}

// A key that is encrypted is refused instead of asked about at the terminal.
static inline int openssl_no_password(char *buffer, int size, int writing, void *unused) {
  (void)buffer, (void)size, (void)writing, (void)unused;
  return 0;
}

static inline void openssl_ask_no_password(SSL_CTX *context) {
  SSL_CTX_set_default_passwd_cb(context, openssl_no_password);
}

// Whether what failed last did so since a key is another certificate's.
static inline int openssl_found_mismatch(void) {
  int reason = ERR_GET_REASON(ERR_peek_last_error());
  return reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH;
}

// Server Name Indication (RFC 6066 §3).
static inline int openssl_name_server(SSL *session, const char *name) {
  return (int)SSL_set_tlsext_host_name(session, name);
}
