import GatehouseAPI
import GatehouseModel

extension Schema {
  /// The class of that name, which must not be embedded.
  func objectType(named name: String) throws(CommandError) -> ObjectType {
    let candidates = objectTypes.filter { !$0.isEmbedded }
    guard let found = candidates.first(where: { $0.name == name }) else {
      throw .unknownClass(name, nearest: EditDistance.nearest(to: name, among: candidates.map(\.name)))
    }
    return found
  }
}
