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
    case bareLineFeed = "bare-line-feed"
    case bareCarriageReturn = "bare-carriage-return"

    // The request line (RFC 9112 §3).
    case malformedRequestLine = "malformed-request-line"
    case requestLineTooLong = "request-line-too-long"
    case unknownMethod = "unknown-method"
    case malformedVersion = "malformed-version"
    case unsupportedVersion = "unsupported-version"
    case malformedTarget = "malformed-target"
    case malformedPercentEncoding = "malformed-percent-encoding"

    // Field lines (RFC 9112 §5).
    case foldedLine = "folded-line"
    case malformedFieldName = "malformed-field-name"
    case malformedFieldValue = "malformed-field-value"
    case headTooLarge = "head-too-large"
    case tooManyFields = "too-many-fields"

    // Host (RFC 9112 §3.2).
    case missingHost = "missing-host"
    case repeatedHost = "repeated-host"
    case malformedHost = "malformed-host"
    case conflictingHost = "conflicting-host"

    // Framing (RFC 9112 §6).
    case malformedContentLength = "malformed-content-length"
    case repeatedContentLength = "repeated-content-length"
    case conflictingFraming = "conflicting-framing"
    case malformedTransferEncoding = "malformed-transfer-encoding"
    case unknownTransferCoding = "unknown-transfer-coding"
    case transferEncodingBeforeHTTP11 = "transfer-encoding-before-http-1.1"
    case contentTooLarge = "content-too-large"

    // Chunks (RFC 9112 §7.1).
    case malformedChunkSize = "malformed-chunk-size"
    case malformedChunkExtension = "malformed-chunk-extension"
    case malformedChunkEnd = "malformed-chunk-end"

    // Semantics (RFC 9110).
    case unknownExpectation = "unknown-expectation"
    case timeout = "request-timeout"
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
