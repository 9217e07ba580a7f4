import GatehouseAccess
import GatehouseDocuments
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension DataAccess {
  /// Returns the answer to a `findOne` by an identifier where that is the object's own JSON, which the cache of objects has; nil: it
  /// takes the document's values to make the answer.
  func storedAnswer(
    to command: DataCommand, in namespace: Namespace, for call: Call
  ) throws -> [UInt8]? {
    guard !call.scope.isOfAllShards, case .findOne(let query) = command, query.filter.asksForOneID,
      query.projection == nil,
      query.skip == 0,
      call.mediaType == .json, call.permit == nil, call.recording == nil, call.transaction == nil,
      call.idempotencyKey == nil, try Preconditions(call.request.fields).isEmpty,
      let documents = try StoreCollections.documents(in: namespace, for: call), documents.isPlain,
      let id = FilterPlan(query.filter, for: documents.type).identifier,
      reader.schemaState.generation == call.generation
    else { return nil }
    var bytes = Array(#"{"document":"#.utf8)
    if try reader.object(documents.type.name, id: id, projection: nil, as: .json, into: &bytes) == nil {
      bytes += "null".utf8
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

extension DocumentClass {
  /// Whether an object's plain JSON is that of its document: `_id` comes first, and all values are of types that JSON has.
  fileprivate var isPlain: Bool {
    guard keyName == Self.idName, let first = type.storedProperties.first, first == type.primaryKeyIndex
    else {
      return false
    }
    return type.storedProperties.allSatisfy { property in
      switch type.properties[property].type {
      case .one(let element, _), .list(let element, _), .map(let element, _): element.isOfJSON
      case .set, .linkingObjects: false
      }
    }
  }
}

extension ElementType {
  fileprivate var isOfJSON: Bool {
    switch self {
    case .bool, .int, .double, .string: true
    case .float, .decimal128, .data, .date, .objectID, .uuid, .mixed, .object: false
    }
  }
}
