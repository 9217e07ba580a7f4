import GatehouseBSON

/// Changes that depend on what an object holds: a JSON Patch (RFC 6902) or field operators, checked against the
/// object's class.
///
/// The store applies it to the present values (``ObjectType/apply(_:to:in:)``), so that nothing
/// can come in between.
public struct ObjectEdit: Hashable, Sendable {
  /// One change, and where it stands in the content.
  struct Action: Hashable, Sendable {
    /// JSON Pointer (RFC 6901) into the content.
    let pointer: String
    let change: Change
  }

  /// The change that one action makes. Values are kept as the client wrote them: ``ObjectType/apply(_:to:in:)`` reads
  /// the outcome as a whole.
  enum Change: Hashable, Sendable {
    // RFC 6902.
    case add(EditPath, Value)
    case remove(EditPath)
    case replace(EditPath, Value)
    case move(from: EditPath, to: EditPath)
    case copy(from: EditPath, to: EditPath)
    case test(EditPath, DraftValue)

    // Field operators.
    case set(EditPath, Value)
    case unset(EditPath)
    case increase(EditPath, by: Mixed)
    case minimum(EditPath, Mixed, Value)
    case maximum(EditPath, Mixed, Value)
    /// A negative position counts from the end; nil: at the end.
    case push(EditPath, [Value], position: Int?)
    case addToSet(EditPath, [Value])
    case pull(EditPath, DraftValue)
  }

  var actions: [Action]

  /// The positions of the properties that it reads or writes, in the order of the class.
  public var properties: [Int] {
    Set(actions.flatMap(\.change.paths).map(\.property)).sorted()
  }

  /// The fields of a document that it reads or writes, where the property at that position holds them.
  public func fields(in property: Int) -> Set<ExactText> {
    Set(
      actions.flatMap(\.change.paths).filter { $0.property == property }.compactMap { path -> ExactText? in
        if case .key(let key)? = path.steps.first { key } else { nil }
      })
  }
}

extension ObjectEdit.Change {
  var paths: [EditPath] {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _), .set(let path, _),
      .unset(let path), .increase(let path, _), .minimum(let path, _, _), .maximum(let path, _, _),
      .push(let path, _, _), .addToSet(let path, _), .pull(let path, _):
      [path]
    case .move(let source, let target), .copy(let source, let target): [source, target]
    }
  }
}
