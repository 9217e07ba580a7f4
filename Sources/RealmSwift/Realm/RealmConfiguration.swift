public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage
import Glibc
import Synchronization

extension Realm {
  /// How a Realm is opened: where it is, and the classes that it has.
  public struct Configuration: Sendable {
    private static let defaults = Mutex<Configuration?>(nil)

    /// The configuration of Realms that are opened without one.
    public static var defaultConfiguration: Configuration {
      get { defaults.withLock { $0 } ?? Configuration() }
      set { defaults.withLock { $0 = newValue } }
    }

    private var file: URL?
    private var identifier: String?
    private var types: TypeList?
    private var deletesIfMigrationNeeded = false

    /// Whether nothing is written.
    public var readOnly = false
    /// The version of the classes: another one where they have changed.
    public var schemaVersion: UInt64 = 0
    /// Carries objects of older classes over.
    public var migrationBlock: MigrationBlock?
    /// Says whether a file of so many bytes, of which so many are used, is to be made smaller.
    public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
    /// The most states that may be held when a transaction begins; nil: any number.
    public var maximumNumberOfActiveVersions: UInt?
    /// A Realm that a new one begins as a copy of.
    public var seedFilePath: URL?
    /// How reads and writes are recorded; nil: they are not.
    public var eventConfiguration: EventConfiguration?
    /// The key of an encrypted file, of which there are none here.
    public var encryptionKey: Data?

    /// The directory of the Realm; nil: it is in memory.
    public var fileURL: URL? {
      get { identifier == nil ? file ?? Configuration.defaultURL : nil }
      set {
        file = newValue
        identifier = nil
      }
    }

    /// The name of a Realm that is in memory, and gone when nobody has it open any more.
    public var inMemoryIdentifier: String? {
      get { identifier }
      set {
        identifier = newValue
        if newValue != nil { file = nil }
      }
    }

    /// Whether a Realm of other classes is deleted, and made anew.
    public var deleteRealmIfMigrationNeeded: Bool {
      get { deletesIfMigrationNeeded }
      set {
        if newValue && readOnly {
          fatalError("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
        }
        deletesIfMigrationNeeded = newValue
      }
    }

    /// The classes of the Realm; nil: all of the process.
    public var objectTypes: [ObjectBase.Type]? {
      get { types?.types }
      set { types = newValue.map { TypeList(types: $0) } }
    }

    /// Says how a Realm is opened: without anything, the default one.
    public init(
      fileURL: URL? = nil, inMemoryIdentifier: String? = nil, encryptionKey: Data? = nil,
      readOnly: Bool = false, schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
      deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil, objectTypes: [ObjectBase.Type]? = nil,
      seedFilePath: URL? = nil, eventConfiguration: EventConfiguration? = nil
    ) {
      file = fileURL
      identifier = inMemoryIdentifier
      self.encryptionKey = encryptionKey
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.seedFilePath = seedFilePath
      self.eventConfiguration = eventConfiguration
      types = objectTypes.map { TypeList(types: $0) }
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
    }

    /// The classes, which never change.
    private struct TypeList: Sendable {
      let types: [ObjectBase.Type]
    }

    /// The directory of the default Realm: of the program's name, where programs of a user keep their data.
    private static var defaultURL: URL { URL(fileURLWithPath: "\(dataDirectory)/default.realm") }

    /// The directory of the program's data.
    static var dataDirectory: String {
      let program = CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? "realm"
      let home = environment("HOME") ?? "/tmp"
      let data = environment("XDG_DATA_HOME") ?? "\(home)/.local/share"
      return "\(data)/\(program)"
    }

    private static func environment(_ name: String) -> String? {
      guard let value = getenv(name), value.pointee != 0 else { return nil }
      return String(cString: value)
    }

    /// The directory that the Realm is in.
    var directory: String {
      if let identifier {
        return "/dev/shm/realm-\(getuid())-\(getpid())-\(FileName.of(identifier))"
      }
      return (file ?? Configuration.defaultURL).path
    }

    var isInMemory: Bool { identifier != nil }

    /// Stops where what is set does not go together.
    func check() {
      if !readOnly { return }
      if deleteRealmIfMigrationNeeded {
        fatalError("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
      }
      if shouldCompactOnLaunch != nil {
        fatalError("Cannot set `shouldCompactOnLaunch` when `readOnly` is set.")
      }
    }

    /// Whether a Realm that was opened with one can be used for the other.
    func hasSameClasses(as other: Configuration) -> Bool {
      guard let types = types?.types, let others = other.types?.types else {
        return (types == nil) == (other.types == nil)
      }
      return types.count == others.count && zip(types, others).allSatisfy { $0 == $1 }
    }
  }
}

extension Realm.Configuration: Equatable {
  public static func == (lhs: Realm.Configuration, rhs: Realm.Configuration) -> Bool {
    lhs.directory == rhs.directory && lhs.readOnly == rhs.readOnly
      && lhs.schemaVersion == rhs.schemaVersion && lhs.encryptionKey == rhs.encryptionKey
      && lhs.hasSameClasses(as: rhs)
      && lhs.deleteRealmIfMigrationNeeded == rhs.deleteRealmIfMigrationNeeded
  }
}

extension Realm.Configuration: CustomStringConvertible {
  public var description: String {
    """
    Realm.Configuration {
    \tfileURL = \(fileURL.map { $0.absoluteString } ?? "(null)");
    \tinMemoryIdentifier = \(inMemoryIdentifier ?? "(null)");
    \treadOnly = \(readOnly ? 1 : 0);
    \tschemaVersion = \(schemaVersion);
    \tdeleteRealmIfMigrationNeeded = \(deleteRealmIfMigrationNeeded ? 1 : 0);
    }
    """
  }
}

/// Carries objects of older classes over; told the version of these.
public typealias MigrationBlock = @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void
