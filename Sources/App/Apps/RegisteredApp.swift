import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto

/// An app of a cluster, as all nodes know it.
struct RegisteredApp: Hashable, Sendable {
  let name: AppName
  /// Letters and digits that no other app has, nor one that had its name before: its log is named by them.
  let identity: String
  /// The first key of an administrator, which the first node that leads keeps in the app's store.
  let firstKey: APIKey
  /// The key by which nodes ask each other for copies of the app's store.
  let nodeKey: String
  /// The settings that are others than the server's.
  var settings = Document()
  /// The groups of its classes that are in stores of their own.
  private(set) var groups: [RegisteredGroup] = []
  /// Goes up whenever the groups change.
  private(set) var groupsRevision: Int64 = 0
  /// Whether its log has had entries: one that is empty has lost them.
  var hasBegun = false

  /// Makes an app, and the text of its first key.
  static func make(_ name: AppName) -> (app: RegisteredApp, key: String) {
    let (key, text) = APIKey.make(name: "first", role: "admin", classes: [], created: .now)
    let app = RegisteredApp(
      name: name, identity: ObjectID.generate().description, firstKey: key,
      nodeKey: Hexadecimal.text(of: SecureRandom.bytes(24)))
    return (app, text)
  }

  private init(name: AppName, identity: String, firstKey: APIKey, nodeKey: String) {
    (self.name, self.identity, self.firstKey, self.nodeKey) = (name, identity, firstKey, nodeKey)
  }

  /// Nil: it is none.
  init?(name: String, record: Document) {
    guard let name = AppName(name), case .string(let identity)? = record["identity"],
      ObjectID(identity) != nil, case .document(let key)? = record["firstKey"],
      let firstKey = APIKey(record: key), case .string(let nodeKey)? = record["nodeKey"],
      case .document(let settings)? = record["settings"], case .bool(let hasBegun)? = record["hasBegun"]
    else { return nil }
    self.init(name: name, identity: identity, firstKey: firstKey, nodeKey: nodeKey)
    (self.settings, self.hasBegun) = (settings, hasBegun)
    if case .int64(let revision)? = record["groupsRevision"] { groupsRevision = revision }
    // Apps that were made by earlier versions have none.
    guard case .document(let groups)? = record["groups"] else { return }
    for element in groups.elements {
      guard case .document(let record) = element.value,
        let group = RegisteredGroup(name: element.key, record: record)
      else { return nil }
      self.groups.append(group)
    }
  }

  /// The app as the default database keeps it.
  var record: Document {
    [
      "identity": .string(identity), "firstKey": .document(firstKey.record), "nodeKey": .string(nodeKey),
      "settings": .document(settings), "hasBegun": .bool(hasBegun),
      "groups": .document(
        Document(groups.map { Document.Element(key: $0.group.name.text, value: .document($0.record)) })),
      "groupsRevision": .int64(groupsRevision),
    ]
  }

  /// Has the groups of its classes be these.
  mutating func change(_ groups: [RegisteredGroup]) {
    guard groups.map(\.group) != self.groups.map(\.group) else { return }
    self.groups = groups
    groupsRevision += 1
  }

  /// Takes note that the log of a group has had entries.
  mutating func noteBeginning(ofGroup identity: String) { groups = groups.havingBegun(identity) }
}
