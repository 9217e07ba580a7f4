// The checks of types are macros for C, which Swift would not see.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdio.h>

// Functions with `...`, which Swift can't call: one for each type of value.

static inline CURLcode curl_set_number(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_size(CURL *transfer, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_pointer(CURL *transfer, CURLoption option, void *value) {
  return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode curl_set_fields(CURL *transfer, struct curl_slist *fields) {
  return curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, fields);
}

// Sets the functions that libcurl calls back, each with the value that curl_set_owner gave.
static inline void curl_set_callbacks(CURL *transfer, curl_write_callback header, curl_write_callback content,
                                      curl_read_callback body, curl_seek_callback seek,
                                      curl_opensocket_callback socket) {
  curl_easy_setopt(transfer, CURLOPT_HEADERFUNCTION, header);
  curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, content);
  curl_easy_setopt(transfer, CURLOPT_READFUNCTION, body);
  curl_easy_setopt(transfer, CURLOPT_SEEKFUNCTION, seek);
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, socket);
}

static inline void curl_set_owner(CURL *transfer, void *owner) {
  curl_easy_setopt(transfer, CURLOPT_HEADERDATA, owner);
  curl_easy_setopt(transfer, CURLOPT_WRITEDATA, owner);
  curl_easy_setopt(transfer, CURLOPT_READDATA, owner);
  curl_easy_setopt(transfer, CURLOPT_SEEKDATA, owner);
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETDATA, owner);
  curl_easy_setopt(transfer, CURLOPT_PRIVATE, owner);
}

static inline void *curl_owner(CURL *transfer) {
  void *owner = NULL;
  curl_easy_getinfo(transfer, CURLINFO_PRIVATE, &owner);
  return owner;
}

static inline long curl_status(CURL *transfer) {
  long status = 0;
  curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

static inline void curl_limit_connections(CURLM *transfers, long all, long perHost) {
  curl_multi_setopt(transfers, CURLMOPT_MAX_TOTAL_CONNECTIONS, all);
  curl_multi_setopt(transfers, CURLMOPT_MAX_HOST_CONNECTIONS, perHost);
}

// The address of a socket that is about to be opened: it is longer than its member says.
static inline const void *curl_address(const struct curl_sockaddr *socket) { return &socket->addr; }

// Sends a message of RFC 5322 by SMTP, as a transfer that has its URL says, and waits for the end.
static inline CURLcode curl_send_mail(CURL *transfer, const char *sender, struct curl_slist *recipients,
                                      const void *message, size_t size) {
  FILE *file = fmemopen((void *)message, size, "r");
  if (!file) return CURLE_OUT_OF_MEMORY;
  curl_easy_setopt(transfer, CURLOPT_MAIL_FROM, sender);
  curl_easy_setopt(transfer, CURLOPT_MAIL_RCPT, recipients);
  curl_easy_setopt(transfer, CURLOPT_READDATA, file);
  curl_easy_setopt(transfer, CURLOPT_UPLOAD, 1L);
  CURLcode code = curl_easy_perform(transfer);
  fclose(file);
  return code;
}

static inline CURLcode curl_outcome(const CURLMsg *message) { return message->data.result; }
