import Testing

@testable import GatehouseApp

@Test(arguments: [
  ("shop", "/v1/collections/Item", "/v1/apps/shop/collections/Item"),
  ("shop", "/app/shop/endpoint/data/v1/action/find", "/app/shop/endpoint/data/v1/action/find"),
  ("shop", "/app/functions/mongodb/find", "/app/shop/mongodb/find"),
  ("shop/archive", "/v1/collections/Item", "/v1/apps/shop/groups/archive/collections/Item"),
  (
    "shop/archive", "/app/shop/endpoint/data/v1/action/find",
    "/v1/apps/shop/groups/archive/app/shop/endpoint/data/v1/action/find"
  ),
  ("shop/archive/0", "/app/functions/mongodb/find", "/v1/apps/shop/groups/archive/0/app/shop/mongodb/find"),
])
func `another node finds the database of a request by its path`(
  name: String, path: String, expected: String
) {
  let app = ClusterApp(name: name, identity: "a", hasBegun: true) { _ in }
  #expect(app.pathAtOtherNode(of: path) == expected)
}
