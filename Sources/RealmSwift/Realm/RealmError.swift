public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension Realm {
  /// An error of a Realm's file.
  public typealias Error = RLMError
}

/// An error of a Realm's file.
public struct RLMError: Error, CustomNSError, LocalizedError, CustomStringConvertible, Sendable {
  /// The kinds of errors.
  public enum Code: Int, Sendable {
    /// Anything else went wrong.
    case fail = 1
    /// The directory cannot be used: others have it open, or it is none.
    case fileAccess = 2
    /// The user may not use the directory.
    case filePermissionDenied = 3
    /// There is something already.
    case fileExists = 4
    /// There is nothing.
    case fileNotFound = 5
    /// A file could not be read or written.
    case fileOperationFailed = 6
    /// The file is of a format that is not known.
    case unsupportedFileFormatVersion = 7
    /// Another version of the library has the file open.
    case incompatibleLockFile = 8
    /// There is no room in memory.
    case addressSpaceExhausted = 9
    /// The classes are others than those that are stored.
    case schemaMismatch = 10
    /// The Realm is open in a way that does not fit.
    case alreadyOpen = 11
    /// Synchronization only; it never comes.
    case multipleSyncAgents = 15
    /// Synchronization only; it never comes.
    case subscriptionFailed = 16
    /// A function of a server did not answer.
    case callFailed = 17
    /// The file is damaged, or no Realm.
    case invalidDatabase = 20
  }

  /// The domain of the errors as Foundation's.
  public static var errorDomain: String { "io.realm" }

  /// The kind of the error.
  public let code: Code
  /// The text of the error.
  public let localizedDescription: String
  /// The directory that it is about.
  public let fileURL: URL?

  /// An error with a text.
  public init(code: Code, _ text: String) { self.init(code, text) }

  /// An error with what Foundation's errors have: the text by `NSLocalizedDescriptionKey`, the file by `NSURLErrorKey`.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    localizedDescription = userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)"
    fileURL = userInfo[NSURLErrorKey] as? URL
  }

  init(_ code: Code, _ text: String, path: String? = nil) {
    self.code = code
    localizedDescription = text
    fileURL = path.map { URL(filePath: $0) }
  }

  public var errorCode: Int { code.rawValue }

  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
    if let fileURL { information[NSURLErrorKey] = fileURL }
    return information
  }

  /// The text and the directory, by Foundation's keys.
  public var userInfo: [String: Any] { errorUserInfo }

  public var errorDescription: String? { localizedDescription }

  public var description: String { localizedDescription }

  /// A function of a server that did not answer.
  public static let callFailed = RLMError(.fail, userInfo: [NSLocalizedDescriptionKey: "Call failed"])

  /// Anything else went wrong.
  public static let fail = Code.fail
  /// The directory cannot be used: others have it open, or it is none.
  public static let fileAccess = Code.fileAccess
  /// The user may not use the directory.
  public static let filePermissionDenied = Code.filePermissionDenied
  /// There is something already.
  public static let fileExists = Code.fileExists
  /// There is nothing.
  public static let fileNotFound = Code.fileNotFound
  /// Another version of the library has the file open.
  public static let incompatibleLockFile = Code.incompatibleLockFile
  /// The classes are others than those that are stored.
  public static let schemaMismatch = Code.schemaMismatch
  /// There is no room in memory.
  public static let addressSpaceExhausted = Code.addressSpaceExhausted
  /// The Realm is open in a way that does not fit.
  public static let alreadyOpen = Code.alreadyOpen
  /// The file is damaged, or no Realm.
  public static let invalidDatabase = Code.invalidDatabase
  /// A file could not be read or written.
  public static let fileOperationFailed = Code.fileOperationFailed
  /// The file is of a format that is not known.
  public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
}

extension RLMError: Equatable {
  public static func == (lhs: RLMError, rhs: RLMError) -> Bool {
    lhs.code == rhs.code && lhs.localizedDescription == rhs.localizedDescription
  }
}

/// Whether both errors are of the same kind, in Foundation's terms.
public func == (lhs: any Error, rhs: any Error) -> Bool {
  lhs._domain == rhs._domain && lhs._code == rhs._code
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
    case .schemaConflict(let conflict):
      let property = conflict.properties.first ?? ""
      self.init(
        .fail,
        "Primary key property '\(conflict.objectType).\(property)' has duplicate values after migration.",
        path: path)
    case .timeLimit: self.init(.fail, error.realmText, path: path)
    case .unknownFormat, .corrupt:
      self.init(.invalidDatabase, "Unable to open a realm at path '\(path)': it is no Realm.", path: path)
    default:
      self.init(.fail, "Unable to open a realm at path '\(path)': \(error)", path: path)
    }
  }
}
