public import Foundation
import GatehouseBSON
import GatehouseOutbound

/// An error of an app's server, or of the way to it.
public typealias AppError = RLMAppError

/// An error of an app's server, or of the way to it.
public struct RLMAppError: Error, CustomNSError, LocalizedError, CustomStringConvertible, Sendable {
  /// The domain of the errors as Foundation's.
  public static var errorDomain: String { "io.realm.app" }

  /// The kind of the error.
  public let code: Code
  /// The text of the error: the server's, where it comes from there.
  public let localizedDescription: String
  /// The status of the answer; nil: there was none.
  public let httpStatusCode: Int?
  /// A place where the server tells more; nil: none is known.
  public let serverLogURL: URL?

  init(_ code: Code, _ text: String, status: Int? = nil, log: URL? = nil) {
    self.code = code
    localizedDescription = text
    httpStatusCode = status
    serverLogURL = log
  }

  public var errorCode: Int { code.rawValue }

  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
    if let httpStatusCode { information["RLMHTTPStatusCodeKey"] = httpStatusCode }
    if let serverLogURL { information["RLMServerLogURLKey"] = serverLogURL.absoluteString }
    return information
  }

  public var errorDescription: String? { localizedDescription }

  public var description: String { localizedDescription }
}

extension RLMAppError: Equatable {
  public static func == (lhs: RLMAppError, rhs: RLMAppError) -> Bool {
    lhs.code == rhs.code && lhs.localizedDescription == rhs.localizedDescription
  }
}

extension RLMAppError.Code {
  /// Whether an error is of the kind, in `catch`.
  public static func ~= (code: RLMAppError.Code, error: any Swift.Error) -> Bool {
    (error as? RLMAppError)?.code == code
  }
}

extension RLMAppError {
  /// The error that an answer tells of; nil: it is no error (C:sync/app_utils.cpp, `check_for_errors`).
  init?(_ answer: AppAnswer) {
    if answer.isJSON, case .document(let document)? = answer.value,
      case .string(let text)? = document["error"]
    {
      let code: Code
      switch document["error_code"] {
      case .string(let name)? where !name.isEmpty: code = Code.named[name] ?? .appServerError
      default: code = .appUnknownError
      }
      var log: URL?
      if case .string(let link)? = document["link"] { log = URL(string: link) }
      self.init(code, text, status: answer.status, log: log)
      return
    }
    guard !(200..<300).contains(answer.status) else { return nil }
    self.init(.httpError, "http error code considered fatal", status: answer.status)
  }

  /// An error for an answer without what should be in it.
  static func incomplete(_ name: String) -> RLMAppError {
    RLMAppError(.invalidServerResponse, "The answer lacks '\(name)'.")
  }

  static let notLoggedIn = RLMAppError(.clientUserNotLoggedIn, "The specified user is not logged in.")

  /// The reason why there is no answer, as people read it.
  static func text(of error: ClientError) -> String {
    switch error {
    case .malformedRequest: "The URL of the server is none."
    case .unreadableContent: "The content of the request cannot be read."
    case .unresolved: "The server's name means no address."
    case .forbiddenAddress, .unreachable: "Could not connect to the server."
    case .untrusted: "The server's certificate is not trusted."
    case .refusedLogin: "The server takes no such user."
    case .timedOut: "The request timed out."
    case .interrupted: "The connection was lost before the answer had come."
    case .tooLarge: "The answer is too large."
    case .cancelled: "The request was cancelled."
    case .failed(let code): "The request failed (libcurl's error \(code))."
    }
  }
}
