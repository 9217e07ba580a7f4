import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension RealmFile {
  private static let versionRecord = Record.Name("realm", "schemaVersion")

  /// The version of the classes; nil: no Realm has been here yet.
  func schemaVersion() throws(StorageError) -> UInt64? {
    let bytes = try coordinator.store.pin().read { reader throws(StorageError) in
      try reader.record(Self.versionRecord)
    }
    return bytes.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
  }

  /// The record of a version of the classes.
  static func record(ofVersion version: UInt64) -> RecordChange {
    RecordChange(versionRecord, Array(String(version).utf8))
  }

  private func keep(_ version: UInt64) throws(StorageError) {
    _ = try coordinator.store.keepAndWait([Self.record(ofVersion: version)])
  }

  func forgetSchemaVersion() throws(StorageError) {
    _ = try coordinator.store.keepAndWait([RecordChange(Self.versionRecord, nil)])
  }

  /// Has the store have the classes, as the configuration says.
  func update(to schema: Schema, _ configuration: Realm.Configuration) throws {
    let problems = schema.problems
    if !problems.isEmpty {
      let list = problems.map { "- \($0)" }.joined(separator: "\n")
      throw Realm.Error(.fail, "Schema validation failed due to the following errors:\n\(list)")
    }
    do {
      try change(to: schema, configuration)
    } catch let error as StorageError {
      throw Realm.Error(error, path: path)
    }
  }

  private func change(to schema: Schema, _ configuration: Realm.Configuration) throws {
    let stored = try schemaVersion()
    let wanted = configuration.schemaVersion
    if let stored, stored > wanted {
      throw Realm.Error(
        .fail, "Provided schema version \(wanted) is less than last set version \(stored).")
    }
    if configuration.readOnly, let stored, stored != wanted {
      throw Realm.Error(
        .fail, "Provided schema version \(wanted) does not equal last set version \(stored).")
    }
    let present = coordinator.store.schema
    let differences = schema.differences(from: present)
    if let stored, stored < wanted {
      return try Migration.perform(from: stored, to: schema, configuration, in: self)
    }
    if !differences.isEmpty {
      let list = differences.map { "- \($0)" }.joined(separator: "\n")
      throw Realm.Error(
        .schemaMismatch, "Migration is required due to the following errors:\n\(list)", path: path)
    }
    let target = schema.stored(beside: present)
    if target != present {
      if configuration.readOnly {
        throw Realm.Error(.schemaMismatch, "The Realm is read-only and lacks classes.", path: path)
      }
      try Self.requireValid(target)
      _ = try coordinator.store.applyAndWait(target, destructive: false)
    }
    if stored == nil, !configuration.readOnly { try keep(wanted) }
  }
}

extension RealmFile {
  /// Throws where a store cannot have the classes: it would not be opened again.
  static func requireValid(_ schema: GatehouseModel.Schema) throws {
    do throws(SchemaError) { try schema.validate() } catch {
      let list = error.problems.map { "- \($0.realmText)" }.joined(separator: "\n")
      throw Realm.Error(.fail, "Schema validation failed due to the following errors:\n\(list)")
    }
  }
}

extension SchemaProblem {
  /// The problem, as messages have it.
  fileprivate var realmText: String {
    let names = [objectType, property].compactMap { $0 }.joined(separator: ".")
    let place = property == nil ? "Type '\(names)'" : "Property '\(names)'"
    return switch rule {
    case .illegalName(let rule): "\(place) has a name that is \(rule.realmText)."
    case .illegalStoredName(let rule): "\(place) is mapped to a name that is \(rule.realmText)."
    case .duplicateStoredName(let name): "\(place) is mapped to '\(name)' as another one is."
    case .tooManyProperties(let limit): "\(place) has more than \(limit) properties."
    default: "\(place) is not possible: \(rule)."
    }
  }
}

extension SchemaRule.NameRule {
  fileprivate var realmText: String {
    switch self {
    case .empty: "empty"
    case .tooLong(let limit): "longer than \(limit) bytes"
    case .illegalCharacter: "of characters that names cannot have"
    case .reserved: "reserved"
    }
  }
}

extension Schema {
  /// The store's schema with these classes in place of those of their names.
  func stored(beside present: GatehouseModel.Schema) -> GatehouseModel.Schema {
    var types = present.objectTypes
    for schema in objectSchema {
      guard let index = types.firstIndex(where: { $0.name == schema.className }) else {
        types.append(schema.stored)
        continue
      }
      if !schema.hasSameProperties(as: types[index]) || schema.differs(inIndexesFrom: types[index]) {
        types[index] = schema.stored
      }
    }
    return GatehouseModel.Schema(types)
  }

  /// Why objects of the store's classes cannot be those of these, as Realm says it.
  func differences(from present: GatehouseModel.Schema) -> [String] {
    objectSchema.flatMap { schema in
      present[schema.className].map { schema.differences(from: $0) } ?? []
    }
  }
}

extension ObjectSchema {
  fileprivate func hasSameProperties(as stored: GatehouseModel.ObjectType) -> Bool {
    allProperties.count == stored.namedProperties.count && differences(from: stored).isEmpty
      && allProperties.allSatisfy { property in
        let present = property.present(in: stored)
        return present?.name == property.name && present?.type == property.stored.type
      }
  }

  /// Whether other properties have indexes; what the gateway has made is left alone.
  fileprivate func differs(inIndexesFrom stored: GatehouseModel.ObjectType) -> Bool {
    allProperties.contains { property in
      let isIndexed = property.present(in: stored)?.index ?? .none
      return property.isIndexed && !property.isPrimary ? isIndexed == .none : isIndexed == .general
    }
  }

  fileprivate func differences(from stored: GatehouseModel.ObjectType) -> [String] {
    if stored.kind != self.stored.kind {
      let kinds = (stored.kind.realmName, self.stored.kind.realmName)
      return ["Class '\(className)' has been changed from \(kinds.0) to \(kinds.1)."]
    }
    var differences: [String] = []
    // Linking objects are computed: nothing has to be carried over.
    for property in allProperties where property.type != .linkingObjects {
      let place = "'\(className).\(property.name)'"
      let wanted = property.stored
      guard let present = property.present(in: stored) else {
        differences.append("Property \(place) has been added.")
        continue
      }
      if present.type == wanted.type { continue }
      switch (present.type, wanted.type) {
      case (.one(let old, _), .one(let new, let optional)) where old == new,
        (.list(let old, _), .list(let new, let optional)) where old == new,
        (.set(let old, _), .set(let new, let optional)) where old == new,
        (.map(let old, _), .map(let new, let optional)) where old == new:
        differences.append("Property \(place) has been made \(optional ? "optional" : "required").")
      default:
        differences.append(
          "Property \(place) has been changed from '\(present.type.typeName)' to '\(wanted.type.typeName)'."
        )
      }
    }
    let known = Set(allProperties.map { $0.stored.storedName })
    for present in stored.namedProperties
    where !known.contains(present.storedName) && present.type.stored != nil {
      differences.append("Property '\(className).\(present.name)' has been removed.")
    }
    switch (stored.primaryKey?.storedName, primaryKeyProperty?.columnName) {
    case (let old?, let new?) where old != new:
      differences.append("Primary Key for class '\(className)' has changed from '\(old)' to '\(new)'.")
    case (nil, _?): differences.append("Primary Key for class '\(className)' has been added.")
    case (_?, nil): differences.append("Primary Key for class '\(className)' has been removed.")
    default: break
    }
    return differences
  }
}

extension Property {
  /// The property of a store's class whose values are those of this one, under whatever name in Swift; nil: there is none.
  fileprivate func present(in stored: GatehouseModel.ObjectType) -> GatehouseModel.Property? {
    stored.namedProperties.first { $0.storedName == columnName }
  }
}

extension GatehouseModel.ObjectType.Kind {
  /// The kind as messages of migrations have it.
  fileprivate var realmName: String {
    switch self {
    case .topLevel: "TopLevel"
    case .embedded: "Embedded"
    case .asymmetric: "TopLevelAsymmetric"
    case .schemaless: "Schemaless"
    }
  }
}

extension GatehouseModel.PropertyType {
  /// The type as messages of migrations have it.
  var typeName: String {
    switch self {
    case .one(let type, _): type.typeName
    case .list(let type, _): "array<\(type.typeName)>"
    case .set(let type, _): "set<\(type.typeName)>"
    case .map(let type, _): "dictionary<string, \(type.typeName)>"
    case .linkingObjects(let objectType, _): "linking objects<\(objectType)>"
    }
  }
}

extension GatehouseModel.ElementType {
  fileprivate var typeName: String {
    if case .object = self { "<\(realmName)>" } else { realmName }
  }
}
