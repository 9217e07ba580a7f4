import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension RealmWriter {
  func data(_ value: Any) -> DraftValue? { converted(value, to: Data.self) }

  func date(_ value: Any) -> DraftValue? { converted(value, to: Date.self) }

  func uuid(_ value: Any) -> DraftValue? { converted(value, to: UUID.self) }

  /// Returns the value of a property that has no default of its own: nothing where that may be, else zero.
  func zero(of property: Property) -> DraftValue {
    if property.isMap { return .map([]) }
    if property.isCollection { return .list([]) }
    if property.isOptional { return .value(.null) }
    return switch property.type {
    case .int: .value(.int(0))
    case .bool: .value(.bool(false))
    case .string: .value(.string(""))
    case .data: .value(.data([]))
    case .date: Date(timeIntervalSince1970: 0)._rlmDraft(in: self).value
    case .float: .value(.float(0))
    case .double: .value(.double(0))
    case .objectId: ObjectId()._rlmDraft(in: self).value
    case .decimal128: Decimal128()._rlmDraft(in: self).value
    case .UUID: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))._rlmDraft(in: self).value
    case .object, .any, .linkingObjects: .value(.null)
    }
  }
}
