import GatehouseLive
import GatehouseModel
import GatehouseStorage

// Values whose types are not known before.
extension Map {
  /// The value of a key.
  public func object(forKey key: AnyObject) -> AnyObject? {
    Key._rlmFromAny(key).flatMap { self[$0] }.flatMap { DynamicValue.object($0._rlmAny) }
  }

  /// The value of a key.
  public func value(forKey key: String) -> AnyObject? {
    if key == "invalidated" { return isInvalidated as AnyObject }
    return Key._rlmFromAny(key).flatMap { self[$0] }.flatMap { DynamicValue.object($0._rlmAny) }
  }

  /// The value at the end of a path: of a key and the names of properties behind it, or of an operator as `@sum.age`. A map that is in
  /// no Realm takes no path of several keys or names.
  public func value(forKeyPath keyPath: String) -> AnyObject? {
    let depth = keyPath.split(separator: ".", omittingEmptySubsequences: false).count
    if place == nil, depth > (keyPath.hasPrefix("@") ? 2 : 1) {
      fatalError("Nested key paths are not supported yet for KVC collection operators.")
    }
    if keyPath.hasPrefix("@") {
      return CollectionOperator(keyPath).value(of: values.map { $0 as Any }).flatMap {
        DynamicValue.object($0)
      }
    }
    let parts = keyPath.split(separator: ".", maxSplits: 1).map { String($0) }
    let value = parts.first.flatMap { self.value(forKey: $0) }
    guard parts.count > 1 else { return value }
    return (value as? ObjectBase)?.value(forKeyPath: parts[1]).flatMap { DynamicValue.object($0) }
  }

  /// Sets the value of a key; nil removes the entry.
  public func setValue(_ value: Any?, forKey key: String) {
    guard let mapKey = Key._rlmFromAny(key) else { return }
    guard let value else { return removeObject(for: mapKey) }
    guard let converted = Value._rlmFromAny(value) else {
      fatalError("Invalid value '\(value)' of type '\(Swift.type(of: value))' for a map of '\(Value.self)'.")
    }
    updateValue(converted, forKey: mapKey)
  }
}
