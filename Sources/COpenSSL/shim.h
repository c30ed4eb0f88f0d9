#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/x509v3.h>
#include <openssl/crypto.h>
#include <string.h>

/* Macros of <openssl/ssl.h> that Swift does not see. */

static inline void cloakroom_ssl_ctx_prepare(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    /* An idle connection gives its 34 KiB of record buffers back; writes may be partial and move. */
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
                                  | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    /* A message of TLS itself, such as a KeyUpdate, ends a read: a peer could send any number of them, and none would be the last. */
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    /* Tickets resume sessions; a cache would keep their secrets in memory. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION
                                     | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
}

static inline void cloakroom_ssl_ctx_refuse_tickets(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
}

static inline void cloakroom_ssl_ctx_require_tls13(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
}

static inline void cloakroom_ssl_set_server_name(SSL *session, const char *name) {
    SSL_set_tlsext_host_name(session, name);
}

/* RFC 7301 section 3.2: no protocol in common is answered by a fatal alert. */
static inline int cloakroom_ssl_select_http11(SSL *session, const unsigned char **chosen, unsigned char *chosenLength,
                                              const unsigned char *offered, unsigned int offeredLength, void *unused) {
    static const unsigned char ours[] = "\x08http/1.1";
    (void)session, (void)unused;
    unsigned char *selected = NULL;
    int outcome = SSL_select_next_proto(&selected, chosenLength, ours, sizeof ours - 1, offered, offeredLength);
    *chosen = selected;
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline void cloakroom_ssl_ctx_select_http11(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, cloakroom_ssl_select_http11, NULL);
}

static inline void cloakroom_ssl_offer_http11(SSL *session) {
    static const unsigned char ours[] = "\x08http/1.1";
    SSL_set_alpn_protos(session, ours, sizeof ours - 1);
}

/* Calls `take` with each name of a verified peer: the common names of its subject, then the DNS names, mail addresses and
   URIs among its alternative names (RFC 5280 section 4.2.1.6). Texts do not end in NUL. */
static inline void cloakroom_ssl_each_peer_name(SSL *session, void *owner,
                                                void (*take)(void *owner, const unsigned char *text, size_t length)) {
    if (SSL_get_verify_result(session) != X509_V_OK) return;
    X509 *certificate = SSL_get1_peer_certificate(session);
    if (!certificate) return;
    X509_NAME *subject = X509_get_subject_name(certificate);
    int index = -1;
    while (subject && (index = X509_NAME_get_index_by_NID(subject, NID_commonName, index)) >= 0) {
        unsigned char *text = NULL;
        int length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
        if (length > 0) take(owner, text, (size_t)length);
        if (length >= 0) OPENSSL_free(text);
    }
    GENERAL_NAMES *names = (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int position = 0; names && position < sk_GENERAL_NAME_num(names); position++) {
        int kind = 0;
        const ASN1_STRING *text = (const ASN1_STRING *)GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, position), &kind);
        if (kind != GEN_DNS && kind != GEN_EMAIL && kind != GEN_URI) continue;
        if (ASN1_STRING_length(text) > 0) take(owner, ASN1_STRING_get0_data(text), (size_t)ASN1_STRING_length(text));
    }
    GENERAL_NAMES_free(names);
    X509_free(certificate);
}

/* Whether the last error of this thread says that the peer ended the stream without close_notify. */
static inline int cloakroom_ssl_is_unexpected_end(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

/* Overwrites the part of the stack that lies below the caller's frame, where functions that have returned may have left
   short values: Swift keeps strings of up to 15 bytes in registers and on the stack. */
static __attribute__((noinline, unused)) void cloakroom_wipe_stack(void) {
    char area[32 << 10];
    memset(area, 0, sizeof area);
    __asm__ __volatile__("" : : "r"(area) : "memory");
}
