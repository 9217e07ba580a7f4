public import GatehouseBSON
import GatehouseHTTP

/// The apps of a server, as its administrators make, change and remove them.
public struct AppAdministration: Sendable {
  let list: @Sendable () async throws -> [AppSummary]
  let read: @Sendable (_ name: String) async throws -> AppSummary
  let create: @Sendable (_ name: String) async throws -> (app: AppSummary, key: String)
  let change: @Sendable (_ name: String, _ settings: Document) async throws -> AppSummary
  let remove: @Sendable (_ name: String) async throws -> Void
  let groups: Groups

  /// The groups of an app's classes. The functions throw ``AppError`` and ``GroupError``.
  public struct Groups: Sendable {
    let put:
      @Sendable (_ name: String, _ app: String, _ classes: Set<String>, _ shards: Int?) async throws ->
        AppSummary
    let remove: @Sendable (_ name: String, _ app: String, _ isConfirmed: Bool) async throws -> Void

    /// - Parameters:
    ///   - put: Makes a group, or gives it other classes.
    ///   - remove: Removes a group, one with objects only where that is confirmed.
    public init(
      put:
        @escaping @Sendable (_ name: String, _ app: String, _ classes: Set<String>, _ shards: Int?)
        async throws -> AppSummary,
      remove: @escaping @Sendable (_ name: String, _ app: String, _ isConfirmed: Bool) async throws -> Void
    ) {
      (self.put, self.remove) = (put, remove)
    }
  }

  /// The functions throw ``AppError``.
  ///
  /// - Parameters:
  ///   - create: Makes an app, and returns the text of its first administrator's key, which nobody will know again.
  ///   - change: Changes some settings; those that are null go back to the server's.
  public init(
    list: @escaping @Sendable () async throws -> [AppSummary],
    read: @escaping @Sendable (_ name: String) async throws -> AppSummary,
    create: @escaping @Sendable (_ name: String) async throws -> (app: AppSummary, key: String),
    change: @escaping @Sendable (_ name: String, _ settings: Document) async throws -> AppSummary,
    remove: @escaping @Sendable (_ name: String) async throws -> Void, groups: Groups
  ) {
    (self.list, self.read, self.create, self.change, self.remove) = (list, read, create, change, remove)
    self.groups = groups
  }
}

/// An app, for administrators.
public struct AppSummary: Sendable {
  let name: String
  let isOpen: Bool
  let failure: String?
  let size: Int
  let settings: Document
  let groups: [Group]

  /// A group of the app's classes.
  public struct Group: Sendable {
    let group: ClassGroup
    let size: Int

    /// - Parameter size: The bytes of its store's file.
    public init(_ group: ClassGroup, size: Int) {
      (self.group, self.size) = (group, size)
    }
  }

  /// - Parameters:
  ///   - isOpen: Whether its store is open.
  ///   - failure: Why it could not be opened when somebody last tried; nil: it could.
  ///   - size: The bytes of its store's file.
  ///   - settings: Those that are others than the server's.
  public init(
    name: String, isOpen: Bool, failure: String?, size: Int, settings: Document, groups: [Group] = []
  ) {
    (self.name, self.isOpen, self.failure) = (name, isOpen, failure)
    (self.size, self.settings, self.groups) = (size, settings, groups)
  }
}

/// The reason why an app cannot be made, changed, removed or used.
public enum AppError: Error, Hashable {
  case notFound
  case invalidName
  case exists
  case tooMany(limit: Int)
  /// It is not removed for somebody who does not say its name twice.
  case unconfirmed
  /// Requests to it take too long to wait for them, or another process has it open.
  case busy
  /// It cannot be opened, or is about to be closed.
  case unavailable
  /// There is no such setting, or not for apps.
  case unknownSetting(String)
  case invalidSetting(String, expected: String)
}

extension AppError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .notFound: Problem(.appNotFound, "There is no app of that name.")
    case .invalidName:
      Problem(
        .invalidAppName,
        "A name has 1 to 63 of A–Z, a–z, 0–9, - and _, begins with a letter, and is no word that is reserved."
      )
    case .exists: Problem(.appExists, "There is an app of that name.")
    case .tooMany(let limit): Problem(.tooManyApps, "There may be \(limit) apps (apps.limit).")
    case .unconfirmed:
      Problem(.appUnconfirmed, "All of the app would be lost: say confirm=NAME, with its name.")
    case .busy:
      Problem(
        .appBusy, "Requests to the app take too long, or another process has it open.",
        fields: [Fields.Line(name: "retry-after", value: "5")]
      )
    case .unavailable:
      Problem(
        .appUnavailable, "The app cannot be used now.",
        fields: [Fields.Line(name: "retry-after", value: "1")])
    case .unknownSetting(let name):
      Problem(.invalidAppSettings, "Apps have no setting “\(name)”.")
    case .invalidSetting(let name, let expected):
      Problem(.invalidAppSettings, "The setting “\(name)” must be \(expected).")
    }
  }
}
