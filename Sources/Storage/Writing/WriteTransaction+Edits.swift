import BSON
import Model
import Query

extension WriteTransaction {
  /// The properties of a class that an edit depends on.
  struct EditShape: Hashable {
    let table: Int
    let properties: [Int]
  }

  func edit(
    _ table: Int, _ id: Mixed, _ edit: ObjectEdit, _ precondition: Operation.Precondition
  ) throws(StorageError) -> Outcome {
    let found = try find(table, id, precondition)
    return try self.edit(RowAddress(table: table, key: found), id, edit)
  }

  /// Changes an object as the edit makes of what it holds now.
  func edit(
    _ subject: RowAddress, _ id: Mixed, _ edit: ObjectEdit
  ) throws(StorageError) -> Outcome {
    let type = catalog.tables[subject.table].objectType
    let values = try values(of: EditShape(table: subject.table, properties: edit.properties), subject.key)
    let patch: ObjectPatch
    do throws(EditError) {
      let limit = options.objectSize ?? .max
      patch = try type.apply(edit, to: values, in: catalog.schema, upTo: limit)
    } catch {
      switch error {
      case .tooLarge(let limit): throw .objectTooLarge(objectType: type.name, limit: limit)
      case .inapplicable(let error): throw .inapplicable(error)
      case .invalid(let error): throw .invalid(error)
      }
    }
    return try update(subject, id, patch)
  }

  private func values(of shape: EditShape, _ key: Int64) throws(StorageError) -> Document {
    var builder = ValueBuilder()
    try editReader(shape).write(key, to: &builder)
    guard case .document(let values) = builder.finish() else { throw .corrupt("object without row") }
    return values
  }

  private func editReader(_ shape: EditShape) -> ObjectReader {
    if let reader = editReaders[shape] { return reader }
    let table = catalog.tables[shape.table]
    let projection = Projection(
      objectType: table.objectType.name,
      fields: shape.properties.map { Projection.Field(property: $0, target: nil) }, showsKey: false)
    let reader = ObjectReader(table, projection: projection, in: reading)
    // Edits come from requests, so that the number of their shapes has no bound of its own.
    if editReaders.count >= 256 { editReaders = [:] }
    editReaders[shape] = reader
    return reader
  }
}
