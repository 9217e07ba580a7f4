import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// POST to a class that is not there, in development: the class is made of what its first objects have, then the objects.
struct CreateInferredClass: Sendable {
  private let call: Call
  private let upload: Upload
  private let objectType: ObjectType

  init(_ call: Call, _ data: DataAccess) async throws {
    let contentType = try call.readableType()
    // The class would have to say what the cells of a table mean.
    if contentType == .csv { _ = try call.collectionType() }
    let limit = contentType.sequenceFormat == nil ? call.limits.contentSize : call.limits.streamSize
    upload = try await Upload(call, limit: limit, store: data.store)
    self.call = call
    let sample = try upload.sample(as: contentType)
    let hasObjects = sample.contains { if case .document = $0 { true } else { false } }
    // Nothing makes no class: it is as unknown as ever.
    if !hasObjects { _ = try call.collectionType() }
    objectType = try InferredClass(call.className, of: sample).objectType
    try InferredClass.requireRoom(in: call.schema)
  }

  func answer(_ data: DataAccess) async throws -> Response {
    // Somebody may be quicker, with the same class or another one.
    let schema = try Schema(validating: call.schema.objectTypes + [objectType])
    if upload.spool == nil {
      // Objects that would be refused make no class.
      let content = try Content(upload.bytes, as: try call.readableType(), of: objectType, in: schema)
      _ = try content.drafts(of: objectType, in: schema, mode: .create)
    }
    _ = try await data.store.apply(
      schema, destructive: false, renames: [], generation: call.generation, hook: nil)
    let call = Call(call, in: data.store.schemaState)
    guard let spool = upload.spool else {
      return try await CreateObjects(call, upload.bytes).answer(call, data)
    }
    let load = try LoadObjects(
      call, spool, fingerprint: upload.fingerprint, limit: call.limits.contentSize)
    return try await load.answer(call, data)
  }
}

extension Upload {
  /// The first values: all that are in memory, or the whole lines among the first of a file.
  fileprivate func sample(as type: ContentType) throws -> [Value] {
    let content =
      if let spool {
        try Content(
          Array(try spool.bytes(at: 0, count: Upload.inMemory).lines.dropLast().joined(separator: [0x0A])),
          as: type)
      } else {
        try Content(bytes, as: type)
      }
    switch content {
    case .one(let value): return [value]
    case .many(let values, _): return values
    }
  }
}

extension [UInt8] {
  fileprivate var lines: [ArraySlice<UInt8>] { split(separator: 0x0A, omittingEmptySubsequences: false) }
}
