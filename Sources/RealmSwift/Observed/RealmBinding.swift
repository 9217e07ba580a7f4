/// A value of a Realm that is read, and set in a transaction of its own. Stands where SwiftUI has `Binding`.
@propertyWrapper
public struct RealmBinding<Value> {
  private let read: () -> Value
  private let write: (Value) -> Void

  init(_ read: @escaping () -> Value, _ write: @escaping (Value) -> Void) {
    self.read = read
    self.write = write
  }

  /// The value; setting it is a transaction of its own.
  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }

  /// The binding itself.
  public var projectedValue: RealmBinding { self }
}

extension RealmBinding: BoundCollection {
  public func _rlmChange(_ body: (Value) -> Void) { body(wrappedValue) }
}
