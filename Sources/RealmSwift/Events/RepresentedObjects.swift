import GatehouseAudit
import GatehouseBSON
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Asks objects of one state of a Realm what is recorded of them, where their classes say so themselves.
struct RepresentedObjects {
  private let context: RealmContext

  /// - Parameter context: A Realm in any state, of which the committed one is looked at, unrecorded.
  init(in context: RealmContext) { self.context = context }

  /// Returns what is recorded of those of the objects whose classes say so. Throws the error of a text that is no JSON.
  func representations(
    of objects: [(objectType: String, key: ObjectKey, image: Mixed)]
  ) throws -> [ProgramRepresentation] {
    let represented = objects.filter { context.isRepresentable($0.objectType) }
    if represented.isEmpty { return [] }
    let state = context.unrecorded()
    return try represented.compactMap { object in
      guard let table = state.live.table(object.objectType),
        let read = state.object(at: RowAddress(table: table, key: object.key.value))
          as? any CustomEventRepresentable
      else { return nil }
      let text = read.customEventRepresentation()
      do throws(JSONError) {
        let value = try GatehouseBSON.Value(json: text, as: .plain)
        return ProgramRepresentation(objectType: object.objectType, image: object.image, value: value)
      } catch {
        throw RLMError(
          .fail,
          "[json.exception.parse_error] The representation of a '\(object.objectType)' is no JSON: \(error)")
      }
    }
  }
}
