import GatehouseBSON

extension [NamedProjection] {
  /// Reads `{"PersonCard":{"city":"address.city"},"AuditEvent":"function"}`.
  init(from members: inout NotationMembers) {
    var projections: [NamedProjection] = []
    for element in members.document("projections")?.elements ?? [] {
      if case .string(let function) = element.value {
        projections.append(NamedProjection(name: element.key, function: function))
        continue
      }
      guard case .document(let document) = element.value else {
        members.report(.memberOfWrongType("projections"))
        continue
      }
      var fields: [NamedProjection.Field] = []
      for field in document.elements {
        guard case .string(let path) = field.value else {
          members.report(.memberOfWrongType("projections"))
          continue
        }
        fields.append(NamedProjection.Field(name: field.key, path: path))
      }
      projections.append(NamedProjection(name: element.key, fields: fields))
    }
    self = projections
  }

  /// The projections as ``init(from:)`` reads them.
  var notation: Value {
    .document(
      Document(
        map { projection in
          if let function = projection.function {
            return Document.Element(key: projection.name, value: .string(function))
          }
          let fields = projection.fields.map { Document.Element(key: $0.name, value: .string($0.path)) }
          return Document.Element(key: projection.name, value: .document(Document(fields)))
        }))
  }
}
