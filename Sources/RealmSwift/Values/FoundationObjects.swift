public import Foundation
internal import GatehouseModel

// Foundation's objects, which numbers and dates of properties may be asked for as.

extension NSNumber: _HasPersistedType, MinMaxType, AddableType {
  /// The type that values are stored as.
  public typealias PersistedType = NSNumber

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    switch value.value {
    case .int(let number): NSNumber(value: number) as? Self
    case .float(let number): NSNumber(value: number) as? Self
    case .double(let number): NSNumber(value: number) as? Self
    case .bool(let flag): NSNumber(value: flag) as? Self
    default: nil
    }
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    isFloatingPoint ? _RealmDraftValue(.double(doubleValue)) : _RealmDraftValue(.int(int64Value))
  }

  /// Whether it was made of a floating point number.
  var isFloatingPoint: Bool {
    [UInt8(ascii: "d"), UInt8(ascii: "f")].contains(UInt8(bitPattern: objCType.pointee))
  }
}

extension NSDate: _HasPersistedType, MinMaxType {
  /// The type that values are stored as.
  public typealias PersistedType = NSDate

  public static func _rlmFromStored(_ value: _RealmStoredValue) -> Self? {
    guard case .date(let stored) = value.value else { return nil }
    return NSDate(timeIntervalSinceReferenceDate: Date(stored).timeIntervalSinceReferenceDate) as? Self
  }

  public func _rlmDraft(in context: _RealmWriteContext) -> _RealmDraftValue {
    _RealmDraftValue(.date(Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).stored))
  }
}
