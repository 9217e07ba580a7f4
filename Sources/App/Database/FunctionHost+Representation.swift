import GatehouseBSON
import GatehouseFunctions

extension FunctionHost {
  /// Calls a function for the representation of an object. The function sees the object, and nothing else of the
  /// store.
  func representation(_ name: String, of object: Value) async throws -> Value {
    try await call(Invocation(name: name, arguments: [object]), from: .function) { _ in
      .failure("A function that says what is recorded sees the object only.")
    }
  }
}
