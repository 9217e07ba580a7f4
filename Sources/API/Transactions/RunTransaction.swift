import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

extension Feature {
  static let transactions = Feature(endpoints: [.runTransaction])
}

extension Endpoint {
  static let runTransaction = Endpoint(
    "runTransaction", .post("/v1/transactions", reads: ContentType.ofValues), answers: MediaType.forOne,
    requires: .permit, records: .writes, using: \.data
  ) { call, data in try await RunTransaction(call, data).answer(call, data) }
}

/// POST of a transaction: operations on any objects, all or nothing, one version.
struct RunTransaction: Sendable {
  private let items: [TransactionReader.Item]
  private let returnsMinimal: Bool
  private let mediaType: MediaType
  private let repetition: Repetition?
  /// Classes of which the caller is not shown all properties, and so no versions of objects.
  private let concealed: Set<String>

  init(_ call: Call, _ data: DataAccess) async throws {
    try Preconditions(call.request.fields).refuse()
    let contentType = try call.readableType()
    let conditions = data.policies.current.conditionalWrites
    (items, repetition) = try await call.decode { bytes in
      let values = try RunTransaction.operations(Content(bytes, as: contentType).value)
      let items = try values.enumerated().map { index, value in
        try TransactionReader(value, at: index, for: call, conditions).item()
      }
      return (items, Repetition(of: call, bytes))
    }
    returnsMinimal = call.preferences.returnsMinimal
    mediaType = call.mediaType
    concealed = Set(items.map(\.objectType.name).filter(call.hidesProperties))
    // Whether an object is of a version is not for those who are not shown all that has changed.
    if items.contains(where: { $0.operation.hasVersion && concealed.contains($0.objectType.name) }) {
      throw AccessError.overview
    }
  }

  private static func operations(_ value: Value) throws(APIError) -> [Value] {
    guard case .document(let members) = value else {
      throw .invalidTransaction([TransactionError(pointer: "", rule: .notADocument)])
    }
    for element in members.elements where element.key != "operations" {
      let name = element.key.replacing("~", with: "~0").replacing("/", with: "~1")
      throw .invalidTransaction([TransactionError(pointer: "/\(name)", rule: .unknownMember)])
    }
    switch members["operations"] {
    case .array(let values)?: return values
    case nil: throw .invalidTransaction([TransactionError(pointer: "/operations", rule: .memberMissing)])
    case _?: throw .invalidTransaction([TransactionError(pointer: "/operations", rule: .notAnArray)])
    }
  }

  func answer(_ call: Call, _ data: DataAccess) async throws -> Response {
    let transaction = Transaction(
      items.map(\.operation), idempotency: repetition?.record { response(for: $0) })
    let commit = try await data.perform(transaction, for: call) { error in
      let item = items.indices.contains(error.operation) ? items[error.operation] : nil
      return item?.place(of: error.reason, error.operation)
    }
    return response(for: commit)
  }

  private func response(for commit: Commit) -> Response {
    if let repeated = commit.repeated.flatMap(Response.init(stored:)) { return repeated }
    let results = zip(items, commit.results).map(value)
    let summary: Document = ["version": .int64(commit.version), "results": .array(results)]
    var response = Response(
      status: .ok, content: returnsMinimal ? nil : mediaType.bytes(of: .document(summary)), mediaType)
    if returnsMinimal { response.fields.append("preference-applied", "return=minimal") }
    response.fields.append(realmVersion: commit.version)
    return response
  }

  private func value(_ item: TransactionReader.Item, _ result: Commit.Result) -> Value {
    var document: Document = [
      "op": .string(item.name), "class": .string(item.objectType.name),
      // Primary keys are never links.
      "id": result.id.value { _ in .null },
    ]
    if !concealed.contains(item.objectType.name) {
      document.append("version", .int64(result.objectVersion))
    }
    document.append("effect", .string(result.effect.rawValue))
    return .document(document)
  }
}

extension TransactionReader.Item {
  /// Returns the place that an error of the operation is about: a value, or the operation as a whole.
  fileprivate func place(of reason: StorageError, _ index: Int) -> Content.Place {
    switch reason {
    case .invalid, .inapplicable: place
    case .linkTargetNotFound where hasValues: place
    default: Content.Place(pointer: "/operations/\(index)")
    }
  }
}

extension TransactionReader.Item {
  /// Whether the operation gives the object values whose places are known.
  private var hasValues: Bool {
    switch operation {
    case .create, .put, .update: true
    case .edit, .change, .delete, .each: false
    }
  }
}

extension GatehouseStorage.Operation {
  /// Whether the object must be of a certain version.
  fileprivate var hasVersion: Bool {
    let precondition: Precondition =
      switch self {
      case .put(_, _, _, let precondition), .update(_, _, _, let precondition),
        .edit(_, _, _, let precondition),
        .change(_, _, _, _, let precondition), .delete(_, _, let precondition):
        precondition
      case .create, .each: .none
      }
    if case .version = precondition { return true }
    return false
  }
}
