import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP

extension Feature {
  static let functions = Feature(endpoints: [.listFunctions, .callFunction])
}

extension Endpoint {
  static let listFunctions = Endpoint(
    "listFunctions", .get("/v1/functions"), answers: MediaType.forChanges, requires: .someRole,
    using: \.functions
  ) { call, functions in
    ListFunctions(call).response(for: try functions.host.functions(for: call.principal.functionUser))
  }
}

/// GET of the functions that the caller may call; administrators see all.
struct ListFunctions: Sendable {
  private let mediaType: MediaType

  init(_ call: Call) {
    mediaType = call.mediaType
  }

  func response(for functions: [Function]) -> Response {
    let list = Value.array(functions.map(ListFunctions.value))
    return Response(status: .ok, content: mediaType.bytes(of: list), mediaType)
  }

  private static func value(_ function: Function) -> Value {
    var document: Document = ["name": .string(function.name), "runtime": .string(function.runtime.rawValue)]
    if let parameters = function.parameters {
      document.append("parameters", .array(parameters.map { .string($0) }))
    }
    document.append("private", .bool(function.isPrivate))
    document.append("disabled", .bool(function.isDisabled))
    var limits = Document()
    let named = [
      ("seconds", function.timeLimit), ("megabytes", function.memoryLimit),
      ("concurrency", function.concurrency),
    ]
    for (name, limit) in named {
      if let limit { limits.append(name, .int64(Int64(limit))) }
    }
    document.append("limits", .document(limits))
    return .document(document)
  }
}
