import GatehouseBSON

/// Calls the functions of an app as one of its users.
///
/// A function is called by its name: `user.functions.sum([1, 2]) { result, error in … }`, with a closure that is called off the main
/// queue, or `try await user.functions.sum(1, 2)`.
@dynamicMemberLookup
@frozen
public struct Functions: Sendable {
  let user: User

  /// Is handed the result of a function, or an error.
  public typealias FunctionCompletionHandler = @Sendable (AnyBSON?, (any Error)?) -> Void
  /// A function that takes arguments, and a closure for its result.
  public typealias Function = ([AnyBSON], @escaping FunctionCompletionHandler) -> Void
  /// Is handed the result of a function.
  public typealias ResultFunctionCompletionHandler = @Sendable (Result<AnyBSON, any Error>) -> Void
  /// A function that takes arguments, and a closure for its result.
  public typealias ResultFunction = ([AnyBSON], @escaping ResultFunctionCompletionHandler) -> Void

  /// The function of a name, for a closure that takes a result or an error.
  public subscript(dynamicMember string: String) -> Function {
    { [user] arguments, completion in
      Completion.run(
        { (result: Result<AnyBSON, any Error>) in
          switch result {
          case .success(let value): completion(value, nil)
          case .failure(let error): completion(nil, error)
          }
        }, { try await user.call(string, arguments) })
    }
  }

  /// The function of a name, for a closure that takes a result.
  public subscript(dynamicMember string: String) -> ResultFunction {
    { [user] arguments, completion in
      Completion.run(completion) { try await user.call(string, arguments) }
    }
  }

  /// The function of a name, to be waited for.
  public subscript(dynamicMember string: String) -> FunctionCallable {
    FunctionCallable(name: string, user: user)
  }
}

/// A function of an app, which is called as Swift's functions are.
@dynamicCallable
public struct FunctionCallable: Sendable {
  let name: String
  let user: User

  /// Calls the function, and returns its result.
  public func dynamicallyCall(withArguments args: [AnyBSON]) async throws -> AnyBSON {
    try await user.call(name, args)
  }

  /// Calls the function with the elements of an array as its arguments, and returns its result.
  public func dynamicallyCall<Arguments: Sequence>(
    withArguments args: [Arguments]
  ) async throws -> AnyBSON where Arguments.Element == AnyBSON {
    try await user.call(name, args.flatMap { Array($0) })
  }
}

extension RLMUser {
  /// Calls a function of the app, and returns its result.
  func call(_ name: String, _ arguments: [AnyBSON]) async throws(RLMAppError) -> AnyBSON {
    AnyBSON(try await send(functionRequest(name, of: nil, arguments.map(\.stored))))
  }

  /// The request that calls a function of the app, or has one of its data sources, by its name, perform a command.
  func functionRequest(_ name: String, of service: String?, _ arguments: [GatehouseBSON.Value]) -> AppRequest
  {
    AppRequest(
      .post, "\(session.client.appPath)/functions/call",
      .document(Self.call(of: name, in: service, arguments)))
  }

  /// The call of a function as clients send it.
  static func call(
    of name: String, in service: String?, _ arguments: [GatehouseBSON.Value]
  ) -> GatehouseBSON.Document {
    var call: GatehouseBSON.Document = ["arguments": .array(arguments), "name": .string(name)]
    if let service { call.append("service", .string(service)) }
    return call
  }
}
