import GatehouseModel
import GatehouseStorage

/// The values of an object at one position of the change log.
///
/// Links are primary keys, and embedded objects dictionaries by stored names, as in the log.
struct ObjectState: Sendable {
  let layout: ClassLayout
  /// The primary key, or the object key; null for an embedded object.
  let id: Mixed
  /// 0 for an embedded object.
  let key: ObjectKey
  /// By property; null for linking objects.
  private(set) var values: [Mixed]
  /// The sets of links that single changes have left in another order than that of a read.
  private(set) var unordered: Set<Int> = []

  /// Reads an image of the whole object.
  init(_ layout: ClassLayout, id: Mixed, key: ObjectKey, image: Mixed?) {
    self.layout = layout
    self.id = id
    self.key = key
    values = Array(repeating: .null, count: layout.objectType.properties.count)
    apply(image)
  }

  /// Reads an image of an object that lives inside another one.
  init(_ layout: ClassLayout, embedded image: Mixed) {
    self.init(layout, id: .null, key: ObjectKey(0), image: image)
  }

  /// The image of the whole object.
  var image: Mixed {
    .dictionary(
      zip(layout.objectType.properties, values).compactMap { property, value in
        property.type.stored == nil ? nil : Mixed.Entry(key: property.storedName, value: value)
      })
  }

  /// Takes over the values of an image. What the schema no longer has is left out.
  mutating func apply(_ image: Mixed?) {
    layout.forEachProperty(of: image) { property, value in values[property] = value }
  }

  /// Replaces the value of a property.
  mutating func set(_ value: Mixed, at property: Int) {
    values[property] = value
  }

  /// Takes over what an update did.
  mutating func redo(_ change: LoggedChange) {
    apply(change.after)
    for collection in change.elements {
      guard let property = layout.property(storedAs: collection.property, hint: 0) else { continue }
      for element in collection.elements { values[property].redo(element) }
      if layout.linkSets.contains(property) { unordered.insert(property) }
    }
  }

  /// Goes back to what the properties were.
  mutating func apply(_ past: [Int: HistoricalValue]) {
    for (property, past) in past {
      values[property] = past.value(now: values[property])
      if past.isUnordered, layout.linkSets.contains(property) { unordered.insert(property) }
    }
  }

  /// Brings the sets of links into the order of a read, which is that of the objects' keys; `link` makes a link of what the
  /// log has in its place.
  mutating func orderSets(
    _ link: (Mixed, ElementType) throws(StorageError) -> Mixed
  ) throws(StorageError) {
    for property in unordered {
      guard case .list(let elements) = values[property],
        let element = layout.objectType.properties[property].type.stored?.element
      else { continue }
      var ranked: [(value: Mixed, rank: Mixed)] = []
      for value in elements { ranked.append((value, try link(value, element))) }
      ranked.sort { MixedOrder.sortOrder($0.rank, $1.rank) < 0 }
      values[property] = .list(ranked.map(\.value))
    }
    unordered = []
  }
}

extension ClassLayout {
  /// Calls `body` with each property that the image has.
  func forEachProperty(of image: Mixed?, _ body: (Int, Mixed) -> Void) {
    guard case .dictionary(let entries)? = image else { return }
    var hint = 0
    for entry in entries {
      guard let property = property(storedAs: entry.key, hint: hint) else { continue }
      body(property, entry.value)
      hint = property + 1
    }
  }
}
