import GatehouseBSON
import Testing

@testable import GatehouseApp

/// Names in rule expressions that rights cannot ask.
@Suite struct RuleExpansionTests {
  @Test(arguments: [
    (#"{"%%prevRoot.a":1}"#, "“%%prevRoot.a” is the document before the change, "),
    (#"{"a":"%%prevRoot.a"}"#, "“%%prevRoot.a” is the document before the change, "),
    (#"{"a":"%%root.b"}"#, "“%%root.b” is the document: it stands on the left"),
    (#"{"a":"%%request.remoteIPAddress"}"#, "“%%request.remoteIPAddress” is the caller's request, "),
    (#"{"%%request.httpMethod":"GET"}"#, "“%%request.httpMethod” is the caller's request, "),
    (#"{"a":{"$in":"%%values.admins"}}"#, "“%%values.admins” is a value of the app, "),
    (#"{"%%environment.tag":"production"}"#, "“%%environment.tag” is the app's environment, "),
    (#"{"a":"%%this"}"#, "“%%this” is the value of a field, "),
    (#"{"%%args.0":1}"#, "“%%args.0” are the arguments of a call, "),
    (#"{"a":"%%partition"}"#, "“%%partition” is that of Device Sync, "),
    (#"{"a":"%%user.identities"}"#, "“%%user.identities” is nothing that rules know of their caller but "),
    (#"{"a":"%%who"}"#, "“%%who” is no name that is known here"),
    (#"{"a":{"%function":{"name":"f"}}}"#, "“%function” calls a function, "),
    (#"{"%function":{"name":"f"}}"#, "“%function” calls a function, "),
    (#"{"$expr":{"$eq":["$a","$b"]}}"#, "“$expr” cannot be said in RQL"),
    (#"{"a":{"$size":2}}"#, "“$size” cannot be said in RQL"),
  ])
  func `names that cannot be asked are explained`(json: String, text: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try ConversionTests.filter(json) }
    #expect(error.text.hasPrefix(text), "\(error.text)")
  }
}
