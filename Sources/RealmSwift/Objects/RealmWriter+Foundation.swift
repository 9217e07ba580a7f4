import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension RealmWriter {
  func data(_ value: Any) -> DraftValue? { converted(value, to: Data.self) }

  func date(_ value: Any) -> DraftValue? { converted(value, to: Date.self) }

  func uuid(_ value: Any) -> DraftValue? { converted(value, to: UUID.self) }
}
