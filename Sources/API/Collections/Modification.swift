import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// The change that the content of a PATCH makes to an object.
enum Modification: Sendable {
  case patch(ObjectPatch)
  case edit(ObjectEdit)

  /// A JSON Patch and a merge patch say what they are; any other document is one of field operators where all
  /// of its members begin with `$`, as no property does, and a merge patch otherwise.
  init(
    _ value: Value, as contentType: ContentType, of type: ObjectType, in schema: Schema
  ) throws(ValidationError) {
    if contentType == .jsonPatch {
      self = .edit(try type.edit(fromJSONPatch: value, in: schema))
    } else if contentType != .mergePatch, value.hasOperators {
      self = .edit(try type.edit(fromOperators: value, in: schema))
    } else {
      self = .patch(try type.patch(from: value, in: schema))
    }
  }

  /// `bytes` is the content of the call.
  init(_ call: Call, _ bytes: [UInt8], of type: ObjectType) throws {
    let contentType = try call.readableType()
    let value = try Content(bytes, as: contentType).value
    self = try Content.locating { () throws(ValidationError) in
      try Modification(value, as: contentType, of: type, in: call.schema)
    }
  }

  func operation(
    on type: ObjectType, _ id: Mixed, _ precondition: GatehouseStorage.Operation.Precondition
  ) -> GatehouseStorage.Operation {
    switch self {
    case .patch(let patch): .update(objectType: type.name, id: id, patch: patch, precondition: precondition)
    case .edit(let edit): .edit(objectType: type.name, id: id, edit: edit, precondition: precondition)
    }
  }

  var action: GatehouseStorage.Operation.Action {
    switch self {
    case .patch(let patch): .update(patch)
    case .edit(let edit): .edit(edit)
    }
  }
}

extension Value {
  fileprivate var hasOperators: Bool {
    guard case .document(let document) = self, !document.elements.isEmpty else { return false }
    return document.elements.allSatisfy { $0.key.utf8.first == UInt8(ascii: "$") }
  }
}
