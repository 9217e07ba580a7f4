import GatehouseAccess
import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// Reads one operation of a transaction: `{"op": "create", "class": "City", "value": {…}}`.
struct TransactionReader {
  /// An operation, and what answers and errors say of it.
  struct Item: Sendable {
    let operation: GatehouseStorage.Operation
    let name: String
    let objectType: ObjectType
    /// The member that has the values.
    let place: Content.Place
  }

  let pointer: String
  let members: Document
  let schema: Schema
  /// The rights of the caller; nil: they may do everything.
  let permit: Permit?
  let conditionalWrites: ConditionalWrites

  init(
    _ value: Value, at index: Int, for call: Call, _ conditionalWrites: ConditionalWrites
  ) throws(APIError) {
    pointer = "/operations/\(index)"
    schema = call.schema
    permit = call.permit
    self.conditionalWrites = conditionalWrites
    guard case .document(let members) = value else {
      throw .invalidTransaction([TransactionError(pointer: pointer, rule: .notADocument)])
    }
    self.members = members
  }

  func item() throws(APIError) -> Item {
    let name = try text("op")
    switch name {
    case "create": return try creation()
    case "put": return try replacement()
    case "update": return try update()
    case "delete": return try deletion()
    case let name where TransactionReader.changes[name] != nil: return try change(name)
    default: throw memberError("op", .unknownOperation)
    }
  }

  private func creation() throws(APIError) -> Item {
    try allow(["op", "class", "value", "mode"])
    let type = try objectType()
    var policy = GatehouseStorage.Operation.UpdatePolicy.error
    if members["mode"] != nil {
      guard let mode = GatehouseStorage.Operation.UpdatePolicy(rawValue: try text("mode")) else {
        throw memberError("mode", .memberOfWrongType)
      }
      policy = mode
    }
    let value = try member("value")
    let draft = try located("value") { () throws(ValidationError) in
      try type.draft(from: value, in: schema, mode: policy == .error ? .create : .update)
    }
    return item(
      .create(objectType: type.name, draft: draft, policy: policy), named: "create", of: type,
      in: "value")
  }

  private func replacement() throws(APIError) -> Item {
    try allow(["op", "class", "id", "value", "ifVersion"])
    let type = try objectType()
    let id = try identifier(type)
    let precondition = try precondition(type)
    let value = try member("value")
    var draft = try located("value") { () throws(ValidationError) in
      try type.draft(from: value, in: schema, mode: .replace(keeping: permit?[type.name].fixed ?? []))
    }
    draft.identify(by: id, in: type)
    return item(
      .put(objectType: type.name, id: id, draft: draft, precondition: precondition), named: "put", of: type,
      in: "value")
  }

  private func update() throws(APIError) -> Item {
    try allow(["op", "class", "id", "set", "patch", "edit", "ifVersion"])
    let type = try objectType()
    let id = try identifier(type)
    let precondition = try precondition(type)
    let given = ["set", "patch", "edit"].filter { members[$0] != nil }
    guard let name = given.first else { throw memberError("set", .memberMissing) }
    guard given.count == 1 else { throw memberError(given[1], .contradictoryMember) }
    let value = try member(name)
    let modification = try located(name) { () throws(ValidationError) -> Modification in
      switch name {
      case "patch": .edit(try type.edit(fromJSONPatch: value, in: schema))
      case "edit": .edit(try type.edit(fromOperators: value, in: schema))
      default: .patch(try type.patch(from: value, in: schema))
      }
    }
    return item(modification.operation(on: type, id, precondition), named: "update", of: type, in: name)
  }

  private func deletion() throws(APIError) -> Item {
    try allow(["op", "class", "id", "ifVersion"])
    let type = try objectType()
    let id = try identifier(type)
    return item(
      .delete(objectType: type.name, id: id, precondition: try precondition(type)), named: "delete",
      of: type, in: "id")
  }

  func item(
    _ operation: GatehouseStorage.Operation, named name: String, of type: ObjectType, in member: String
  ) -> Item {
    Item(
      operation: operation, name: name, objectType: type,
      place: Content.Place(pointer: "\(pointer)/\(member)"))
  }
}

extension TransactionReader {
  func memberError(_ member: String, _ rule: TransactionError.Rule) -> APIError {
    .invalidTransaction([TransactionError(pointer: "\(pointer)/\(member)", rule: rule)])
  }

  func allow(_ names: [String]) throws(APIError) {
    for element in members.elements where !names.contains(element.key) {
      // The name is quoted as a pointer has it; it may be anything.
      throw memberError(element.key.replacing("~", with: "~0").replacing("/", with: "~1"), .unknownMember)
    }
  }

  func member(_ name: String) throws(APIError) -> Value {
    guard let value = members[name] else { throw memberError(name, .memberMissing) }
    return value
  }

  func text(_ name: String) throws(APIError) -> String {
    guard case .string(let text) = try member(name) else { throw memberError(name, .memberOfWrongType) }
    return text
  }

  func objectType() throws(APIError) -> ObjectType {
    guard let type = schema[try text("class")] else { throw memberError("class", .unknownClass) }
    guard !type.isEmbedded else { throw memberError("class", .embeddedClass) }
    return type
  }

  func identifier(_ type: ObjectType) throws(APIError) -> Mixed {
    let value = try member("id")
    return try located("id") { () throws(ValidationError) in try type.identifier(from: value, in: schema) }
  }

  func precondition(_ type: ObjectType) throws(APIError) -> GatehouseStorage.Operation.Precondition {
    switch members["ifVersion"] {
    case .int64(let version)?: return .version([version])
    case .int32(let version)?: return .version([Int64(version)])
    case _?: throw memberError("ifVersion", .memberOfWrongType)
    case nil:
      if conditionalWrites.areRequired(for: type.name) {
        throw .preconditionRequired(Content.Place(pointer: pointer))
      }
      return .none
    }
  }

  func located<Result>(
    _ member: String, _ body: () throws(ValidationError) -> Result
  ) throws(APIError) -> Result {
    try Content.locating(Content.Place(pointer: "\(pointer)/\(member)"), body)
  }
}
