public import GatehouseModel

extension Schema {
  /// Returns the properties by which objects of a class may be linked to: links, and mixed values, which may link to whatever is not
  /// embedded.
  public func linksLeading(to target: String) -> [Hop] {
    let isEmbedded = self[target]?.isEmbedded ?? false
    return objectTypes.flatMap { source in
      source.storedProperties.filter {
        let type = source.properties[$0].type
        return type.linkTarget == target || type.isMixed && !isEmbedded
      }.map { Hop(.linkingObjects(objectType: source.name, property: $0), to: source.name) }
    }
  }
}

extension PropertyType {
  /// Whether it is a mixed value or a collection of such.
  fileprivate var isMixed: Bool {
    switch self {
    case .one(.mixed, _), .list(.mixed, _), .set(.mixed, _), .map(.mixed, _): true
    case .one, .list, .set, .map, .linkingObjects: false
    }
  }
}
