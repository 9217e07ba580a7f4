public import GatehouseBSON

extension ObjectType {
  /// Reads a JSON Patch (RFC 6902).
  public func edit(fromJSONPatch value: Value, in schema: Schema) throws(ValidationError) -> ObjectEdit {
    guard case .array(let operations) = value else {
      throw ValidationError([ValidationProblem(pointer: "", .notAnArray(found: ValueKind(value)))])
    }
    var reader = EditReader(schema: schema)
    let edit = reader.jsonPatch(operations, of: self)
    try reader.throwProblems()
    return edit
  }

  /// Reads field operators: `{"$inc": {"population": 1}}`.
  public func edit(fromOperators value: Value, in schema: Schema) throws(ValidationError) -> ObjectEdit {
    guard case .document(let document) = value else {
      throw ValidationError([ValidationProblem(pointer: "", .notADocument(found: ValueKind(value)))])
    }
    var reader = EditReader(schema: schema)
    let edit = reader.operators(document, of: self)
    try reader.throwProblems()
    return edit
  }

  /// Returns the patch that the edit makes of an object. `values` has the present values of at least the properties
  /// that the edit names, links as primary keys. Values that the edit leaves as they were are not in the patch.
  ///
  /// Throws ``EditError/tooLarge(limit:)`` where the edit would write more than `limit` bytes.
  public func apply(
    _ edit: ObjectEdit, to values: Document, in schema: Schema, upTo limit: Int = .max
  ) throws(EditError) -> ObjectPatch {
    var editor = ObjectEditor(values, schema: schema)
    for action in edit.actions { try editor.perform(action) }
    return try editor.patch(of: self, upTo: limit)
  }
}
