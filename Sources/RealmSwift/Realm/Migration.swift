public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// An object of a migration: its properties are found by their names.
public typealias MigrationObject = DynamicObject

/// Is given each object as it was and as it is to be; nil: it was not there, or is not any more.
public typealias MigrationObjectEnumerateBlock = (
  _ oldObject: MigrationObject?, _ newObject: MigrationObject?
) -> Void

/// Carries the objects of a Realm over to other classes: those are the Realm's already, and values that can be converted are.
public final class Migration {
  private let old: RealmContext
  /// The objects as they are to be; those of classes whose primary keys change have none until the migration ends.
  private let new: RealmContext

  /// The classes before.
  public var oldSchema: Schema { old.schema }

  /// The classes after.
  public let newSchema: Schema

  private init(from old: RealmContext, to new: RealmContext, _ newSchema: Schema) {
    self.old = old
    self.new = new
    self.newSchema = newSchema
  }

  /// Gives the store the classes and their version, and has the configuration's block carry objects over: all in one commit.
  static func perform(
    from version: UInt64, to schema: Schema, _ configuration: Realm.Configuration, in file: RealmFile
  ) throws {
    let store = file.coordinator.store
    let before = try LiveRealm(file.coordinator, .current).frozen()
    let old = RealmContext(file, before, configuration, Schema(stored: before.schema))
    let live = try LiveRealm(file.coordinator, .current)
    let target = schema.stored(beside: store.schema)
    try RealmFile.requireValid(target)
    // The block may give objects their new keys.
    let middle = target.withoutNewKeys(since: store.schema)
    try live.beginMigration(to: middle)
    let new = RealmContext(file, live, configuration, Schema(stored: live.schema, named: schema))
    let migration = Migration(from: old, to: new, Schema(stored: target, named: schema))
    migration.takeFields()
    configuration.migrationBlock?(migration, version)
    try live.write?.keep([RealmFile.record(ofVersion: configuration.schemaVersion)])
    try live.commitWrite(reshapingTo: middle == target ? nil : target)
    Logger.shared.log(
      .info, "Migrated '\(file.path)' from version \(version) to \(configuration.schemaVersion).")
  }

  /// Gives the objects of classes that had no schema the fields that their properties of the same names can have.
  private func takeFields() {
    for schema in new.schema.objectSchema {
      guard old.managedClass(schema.className)?.fields != nil,
        new.managedClass(schema.className)?.fields == nil
      else { continue }
      enumerateObjects(ofType: schema.className) { before, after in
        guard let before, let accessor = after?.accessor else { return }
        for property in schema.properties where !property.isPrimary {
          guard let value = before.value(forKey: property.name) else { continue }
          accessor.setIfItFits(property, toAny: value)
        }
      }
    }
  }

  private func rows(_ typeName: String, in context: RealmContext) -> [RowAddress] {
    guard context.managedClass(typeName) != nil else { return [] }
    return LiveResults(.objectType(typeName), of: typeName, in: context.live).all
      .compactMap { context.live.row(of: $0) }
  }

  private func object(_ row: RowAddress, in context: RealmContext) -> MigrationObject {
    Realm(context: context).dynamicObject(at: row, context.managedClass(at: row.table))
  }

  /// Calls `block` with each object of a class as it was and as it is to be.
  public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
    let oldRows = rows(typeName, in: old)
    guard let managed = new.managedClass(typeName) else {
      for row in oldRows { block(object(row, in: old), nil) }
      return
    }
    let known = Set(oldRows.map(\.key))
    for row in oldRows {
      let target = RowAddress(table: managed.table, key: row.key)
      let isThere = new.live.values(of: target) != nil
      block(object(row, in: old), isThere ? object(target, in: new) : nil)
    }
    for row in rows(typeName, in: new) where !known.contains(row.key) { block(nil, object(row, in: new)) }
  }

  /// Makes an object.
  @discardableResult
  public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
    Realm(context: new).dynamicCreate(typeName, value: value)
  }

  /// Deletes an object.
  public func delete(_ object: MigrationObject) { Realm(context: new).delete(object) }

  /// Deletes all objects of a class; false: there is no such class.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool {
    if old.managedClass(typeName) == nil, new.managedClass(typeName) == nil { return false }
    for row in rows(typeName, in: new) { new.delete(row) }
    return true
  }

  /// Gives a property the values that another one had.
  public func renameProperty(onType typeName: String, from oldName: String, to newName: String) {
    checkRenaming(typeName, from: oldName, to: newName)
    enumerateObjects(ofType: typeName) { old, new in
      guard let old, let new else { return }
      let value = old.value(forKey: oldName)
      if let linked = value as? ObjectBase, let accessor = linked.accessor {
        let target = self.new.managedClass(accessor.managed.schema.className).map {
          RowAddress(table: $0.table, key: accessor.row.key)
        }
        new.setValue(target.map { object($0, in: self.new) }, forKey: newName)
      } else {
        new.setValue(value, forKey: newName)
      }
    }
  }
}

extension Migration {
  /// Stops where a property cannot have the values of another one (C:object_store.cpp, `rename_property`).
  private func checkRenaming(_ typeName: String, from oldName: String, to newName: String) {
    guard let source = old.schema[typeName] else {
      fatalError("Cannot rename properties for type '\(typeName)' because it does not exist.")
    }
    guard let target = new.schema[typeName] else {
      fatalError(
        "Cannot rename properties for type '\(typeName)' because it has been removed from the Realm.")
    }
    let renaming = "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because"
    if target[oldName] != nil { fatalError("\(renaming) the source property still exists.") }
    guard let before = source[oldName] else {
      fatalError("Cannot rename property '\(typeName).\(oldName)' because it does not exist.")
    }
    guard let after = target[newName] else {
      fatalError("Renamed property '\(typeName).\(newName)' does not exist.")
    }
    let types = (before.stored.type.typeName, after.stored.type.typeName)
    if types.0 != types.1 {
      fatalError("\(renaming) it would change from type '\(types.0)' to '\(types.1)'.")
    }
    if before.isOptional, !after.isOptional {
      fatalError("\(renaming) it would change from optional to required.")
    }
  }
}

/// Returns the version of the classes of a Realm; throws where there is none.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  let configuration = Realm.Configuration(fileURL: fileURL)
  guard Realm.fileExists(for: configuration) else {
    throw Realm.Error(
      .fileNotFound, "Cannot open an uninitialized realm in read-only mode", path: fileURL.path)
  }
  return try RealmFile.open(configuration.directory, isTemporary: false, configuration).schemaVersion() ?? 0
}

extension Realm {
  /// Carries the objects of a Realm over to the configuration's classes, as opening it does.
  public static func performMigration(
    for configuration: Realm.Configuration = Realm.Configuration.defaultConfiguration
  ) throws {
    _ = try Realm(configuration: configuration)
  }
}

extension GatehouseModel.Schema {
  /// The schema without the primary keys of classes that had objects before, and another key or none.
  fileprivate func withoutNewKeys(since before: GatehouseModel.Schema) -> GatehouseModel.Schema {
    GatehouseModel.Schema(
      objectTypes.map { type in
        guard let key = type.primaryKey, let old = before[type.name],
          old.primaryKey?.name != key.name || old.primaryKey?.type != key.type
        else { return type }
        return GatehouseModel.ObjectType(
          name: type.name, kind: type.kind, properties: type.properties, indexes: type.indexes,
          projections: type.projections
        ).constrained(by: type.constraints)
      })
  }
}

extension Schema {
  /// The classes of a store, whose objects are found by the names of their properties.
  init(stored schema: GatehouseModel.Schema) {
    objectSchema = schema.objectTypes.map { ObjectSchema(stored: $0) }
  }

  /// The classes of a store, those of others by these.
  fileprivate init(stored schema: GatehouseModel.Schema, named other: Schema) {
    self.init(stored: schema)
    objectSchema = objectSchema.filter { other[$0.className] != nil }
  }
}
