import GatehouseLive
import GatehouseModel
import GatehouseStorage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Realm {
  /// An error of a Realm's file.
  public typealias Error = RLMError
}

/// An error of a Realm's file.
public struct RLMError: Error, CustomStringConvertible, Sendable {
  /// The kinds of errors.
  public enum Code: Int, Sendable {
    case fail = 1
    case fileAccess = 2
    case filePermissionDenied = 3
    case fileExists = 4
    case fileNotFound = 5
    case incompatibleLockFile = 8
    case schemaMismatch = 10
    case unsupportedFileFormatVersion = 7
    case addressSpaceExhausted = 9
    case multipleSyncAgents = 15
    case subscriptionFailed = 16
    case callFailed = 17
    case invalidDatabase = 20
  }

  public let code: Code
  /// The text of the error.
  public let localizedDescription: String
  /// The directory that it is about.
  public let fileURL: URL?

  /// An error with a text.
  public init(code: Code, _ text: String) { self.init(code, text) }

  init(_ code: Code, _ text: String, path: String? = nil) {
    self.code = code
    localizedDescription = text
    fileURL = path.map { URL(filePath: $0) }
  }

  public var description: String { localizedDescription }

  public static let fail = Code.fail
  public static let fileAccess = Code.fileAccess
  public static let filePermissionDenied = Code.filePermissionDenied
  public static let fileExists = Code.fileExists
  public static let fileNotFound = Code.fileNotFound
  public static let incompatibleLockFile = Code.incompatibleLockFile
  public static let schemaMismatch = Code.schemaMismatch
  public static let addressSpaceExhausted = Code.addressSpaceExhausted
  public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
}

extension RLMError: Equatable {
  public static func == (lhs: RLMError, rhs: RLMError) -> Bool {
    lhs.code == rhs.code && lhs.localizedDescription == rhs.localizedDescription
  }
}

extension RLMError.Code {
  /// Whether an error is of the kind, in `catch`.
  public static func ~= (code: RLMError.Code, error: any Swift.Error) -> Bool {
    (error as? RLMError)?.code == code
  }
}

extension RLMError {
  /// An error of the store, as Realm has it.
  init(_ error: StorageError, path: String) {
    switch error {
    case .locked(_, let holder):
      self.init(
        .fileAccess, "Realm file at path '\(path)' cannot be opened: \(holder) has it open.", path: path)
    case .notWritable:
      self.init(
        .filePermissionDenied, "Unable to open a realm at path '\(path)': permission denied.", path: path)
    case .notADirectory:
      self.init(.fileAccess, "Unable to open a realm at path '\(path)': it is no directory.", path: path)
    case .unknownFormat, .corrupt:
      self.init(.invalidDatabase, "Unable to open a realm at path '\(path)': it is no Realm.", path: path)
    default:
      self.init(.fail, "Unable to open a realm at path '\(path)': \(error)", path: path)
    }
  }
}
