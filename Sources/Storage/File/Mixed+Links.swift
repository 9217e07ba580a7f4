import GatehouseModel

extension Mixed {
  /// Returns the value with links to the objects of a class under its new name, whichever way links are written: as such, or as the log
  /// has them, `{"$ref": class, "$id": primary key}`. No other dictionary has a key that begins with a dollar sign.
  func renamingLinks(_ rename: ClassRename) -> Mixed {
    switch self {
    case .link(let link) where link.objectType == rename.from:
      .link(ObjectLink(objectType: rename.to, key: link.key))
    case .list(let values): .list(values.map { $0.renamingLinks(rename) })
    case .dictionary(let entries):
      .dictionary(
        entries.map { entry in
          entry.key == "$ref" && entry.value == .string(rename.from)
            ? Entry(key: entry.key, value: .string(rename.to))
            : Entry(key: entry.key, value: entry.value.renamingLinks(rename))
        })
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link:
      self
    }
  }

  /// Returns the value with another one, null or a link, in place of every link to an object.
  func replacing(_ link: ObjectLink, with other: Mixed) -> Mixed {
    switch self {
    case .link(link): other
    case .list(let values): .list(values.map { $0.replacing(link, with: other) })
    case .dictionary(let entries):
      .dictionary(entries.map { Entry(key: $0.key, value: $0.value.replacing(link, with: other)) })
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link:
      self
    }
  }
}
