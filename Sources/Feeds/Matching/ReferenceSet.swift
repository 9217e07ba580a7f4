/// A set of references, in which adding and removing one takes the same time however many there are.
///
/// The references are one behind the other in memory, in no order: the last one takes the place of one that is removed.
struct ReferenceSet<Element: AnyObject> {
  private(set) var elements: [Element] = []
  /// The places of the elements. Empty while there are so few that going through them is as fast, and takes less memory.
  private var places: [ObjectIdentifier: Int] = [:]

  private static var scannedCount: Int { 8 }

  /// Adds a reference that is not in the set.
  mutating func insert(_ element: Element) {
    elements.append(element)
    if !places.isEmpty {
      let other = places.updateValue(elements.count - 1, forKey: ObjectIdentifier(element))
      precondition(other == nil, "a reference is in the set once")
    } else if elements.count > Self.scannedCount {
      for (place, element) in elements.enumerated() { places[ObjectIdentifier(element)] = place }
    }
  }

  /// Removes a reference, if it is in the set.
  mutating func remove(_ element: Element) {
    guard let place = place(of: element) else { return }
    precondition(elements[place] === element, "a reference is where its place says")
    elements.swapAt(place, elements.count - 1)
    elements.removeLast()
    guard !places.isEmpty else { return }
    places[ObjectIdentifier(element)] = nil
    if place < elements.count { places[ObjectIdentifier(elements[place])] = place }
    precondition(places.count == elements.count, "each reference has one place")
  }

  private func place(of element: Element) -> Int? {
    places.isEmpty ? elements.firstIndex { $0 === element } : places[ObjectIdentifier(element)]
  }
}

extension ReferenceSet: RandomAccessCollection {
  var startIndex: Int { elements.startIndex }
  var endIndex: Int { elements.endIndex }

  subscript(place: Int) -> Element { elements[place] }
}

extension Dictionary {
  mutating func insert<Element>(_ element: Element, at key: Key) where Value == ReferenceSet<Element> {
    self[key, default: ReferenceSet()].insert(element)
  }

  /// Removes a reference from the set of a key, and the set with its last one.
  mutating func remove<Element>(_ element: Element, at key: Key) where Value == ReferenceSet<Element> {
    self[key]?.remove(element)
    if self[key]?.isEmpty == true { self[key] = nil }
  }
}
