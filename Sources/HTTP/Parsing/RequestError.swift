/// A request that is refused before anybody has seen it.
public struct RequestError: Error, Hashable, Sendable {
  /// Which rule the request broke.
  public let rule: Rule
  /// Where, in bytes from the start of the request; for a rule about a whole line, where the line starts.
  public let offset: Int

  public init(_ rule: Rule, offset: Int) {
    self.rule = rule
    self.offset = offset
  }

  /// The status of the answer.
  public var status: Status { rule.status }

  /// A rule of the grammar, or a limit. The raw value is the code that the answer carries.
  public enum Rule: String, CaseIterable, Sendable {
    // Lines (RFC 9112 §2.2).
    case bareLineFeed = "bare_line_feed"
    case bareCarriageReturn = "bare_carriage_return"

    // The request line (RFC 9112 §3).
    case malformedRequestLine = "malformed_request_line"
    case requestLineTooLong = "request_line_too_long"
    case unknownMethod = "unknown_method"
    case malformedVersion = "malformed_version"
    case unsupportedVersion = "unsupported_version"
    case malformedTarget = "malformed_target"
    case malformedPercentEncoding = "malformed_percent_encoding"

    // Field lines (RFC 9112 §5).
    case foldedLine = "folded_line"
    case malformedFieldName = "malformed_field_name"
    case malformedFieldValue = "malformed_field_value"
    case headTooLarge = "head_too_large"
    case tooManyFields = "too_many_fields"

    // Host (RFC 9112 §3.2).
    case missingHost = "missing_host"
    case repeatedHost = "repeated_host"
    case malformedHost = "malformed_host"
    case conflictingHost = "conflicting_host"

    // Framing (RFC 9112 §6).
    case malformedContentLength = "malformed_content_length"
    case repeatedContentLength = "repeated_content_length"
    case conflictingFraming = "conflicting_framing"
    case malformedTransferEncoding = "malformed_transfer_encoding"
    case unknownTransferCoding = "unknown_transfer_coding"
    case transferEncodingBeforeHTTP11 = "transfer_encoding_before_http_11"
    case contentTooLarge = "content_too_large"

    // Chunks (RFC 9112 §7.1).
    case malformedChunkSize = "malformed_chunk_size"
    case malformedChunkExtension = "malformed_chunk_extension"
    case malformedChunkEnd = "malformed_chunk_end"

    // Semantics (RFC 9110).
    case unknownExpectation = "unknown_expectation"
    case timeout = "request_timeout"
  }
}

extension RequestError.Rule {
  /// The status of the answer.
  public var status: Status {
    switch self {
    case .requestLineTooLong: .uriTooLong
    case .unknownMethod, .unknownTransferCoding: .notImplemented
    case .unsupportedVersion: .httpVersionNotSupported
    case .headTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
    case .contentTooLarge: .contentTooLarge
    case .unknownExpectation: .expectationFailed
    case .timeout: .requestTimeout
    case .bareLineFeed, .bareCarriageReturn, .malformedRequestLine, .malformedVersion, .malformedTarget,
      .malformedPercentEncoding, .foldedLine, .malformedFieldName, .malformedFieldValue, .missingHost,
      .repeatedHost, .malformedHost, .conflictingHost, .malformedContentLength, .repeatedContentLength,
      .conflictingFraming, .malformedTransferEncoding, .transferEncodingBeforeHTTP11, .malformedChunkSize,
      .malformedChunkExtension, .malformedChunkEnd:
      .badRequest
    }
  }
}
