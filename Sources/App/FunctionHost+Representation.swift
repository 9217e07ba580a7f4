import BSON
import Functions

extension FunctionHost {
  /// Makes of an object what is recorded of it. The function sees the object, and nothing else of the store.
  func representation(_ name: String, of object: Value) async throws -> Value {
    try await call(Invocation(name: name, arguments: [object]), from: .function) { _ in
      .failure("A function that says what is recorded sees the object only.")
    }
  }
}
