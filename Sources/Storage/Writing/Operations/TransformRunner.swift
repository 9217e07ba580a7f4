import GatehouseModel
import GatehouseQuery

/// Asks the code of a transform about the objects of one class, several at a time. Owns no table.
final class TransformRunner {
  private let transform: ObjectTransform
  private let statements: WriteStatements
  private let table: Int
  private let reader: ObjectReader
  /// The answers to the last question, and the place of the first object in it among all of them.
  private var patches: [ObjectPatch?] = []
  private var start = 0

  init(_ transform: ObjectTransform, _ statements: WriteStatements, table: Int) {
    self.transform = transform
    self.statements = statements
    self.table = table
    let layout = statements.catalog.tables[table]
    let all = Projection.all(of: layout.objectType)
    // Without `_key`, so that a function may give back what it was given.
    let projection = Projection(objectType: all.objectType, fields: all.fields, showsKey: false)
    reader = ObjectReader(layout, projection: projection, in: statements.session)
  }

  /// Returns the patch of the object at a place in `keys`, to be asked for from the first to the last; nil: it stays as it is.
  func patch(at index: Int, of keys: [Int64]) throws(StorageError) -> ObjectPatch? {
    precondition((start...start + patches.count).contains(index), "objects are asked for in their order")
    if index == start + patches.count {
      start = index
      let subjects = try subjects(keys[index...])
      patches = try transform.patches(subjects)
      guard patches.count == subjects.count else { throw .corrupt("patches of objects") }
    }
    return patches[index - start]
  }

  private func subjects(_ keys: ArraySlice<Int64>) throws(StorageError) -> [ObjectTransform.Subject] {
    var subjects: [ObjectTransform.Subject] = []
    var bytes = 0
    for key in keys.prefix(ObjectTransform.batchSize) where bytes < ObjectTransform.batchBytes {
      let id = try statements.identifier(of: RowAddress(table: table, key: key))
      subjects.append(ObjectTransform.Subject(id: id, object: try reader.bytes(of: key, as: .bson)))
      bytes += subjects[subjects.count - 1].object.count
    }
    return subjects
  }
}
