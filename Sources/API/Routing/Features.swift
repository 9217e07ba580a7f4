extension Feature {
  /// All features: the table of routes is made of their endpoints, in this order.
  static let all: [Feature] = [
    .operations, .schema, .collections, .properties, .transactions, .events, .administration,
    .serverAdministration, .cluster, .apps, .audit, .functions, .triggers, .appServices, .dataAPI,
    .httpEndpoints,
    .console,
  ]
}

extension Endpoint {
  /// All endpoints, as `openapi/openapi.yaml` has them. HEAD and OPTIONS follow from the others.
  static let all = Feature.all.flatMap(\.endpoints)
}
