internal import HTTP

/// Where TLS connections encrypt to. A class, for the loop makes it only when the first of them comes.
final class EncryptedOutput {
  var output = OutputBuffer()
}
