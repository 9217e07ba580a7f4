extension RealmCollection {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The index behind the last element: the number of elements.
  public var endIndex: Int { count }
  /// Returns the next index.
  public func index(after i: Int) -> Int { i + 1 }
  /// Returns the index before.
  public func index(before i: Int) -> Int { i - 1 }
}

extension RealmCollection where Element: ObjectBase {
  /// The least value of a property; nil: there is none.
  public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType { min(ofProperty: _name(for: keyPath)) }

  /// The greatest value of a property; nil: there is none.
  public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType { max(ofProperty: _name(for: keyPath)) }

  /// The sum of the values of a property; 0: there are none.
  public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
  where T.PersistedType: AddableType { sum(ofProperty: _name(for: keyPath)) }

  /// The average of the values of a property; nil: there are none.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: AddableType { average(ofProperty: _name(for: keyPath)) }

  /// Sorts by the values at the end of a key path.
  public func sorted<T: _HasPersistedType>(by keyPath: KeyPath<Element, T>, ascending: Bool = true)
    -> Results<Element>
  where T.PersistedType: SortableType {
    sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// Keeps the first of the objects that have the same values at the ends of key paths.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == PartialKeyPath<Element> {
    distinct(by: keyPaths.map { _name(for: $0) })
  }
}

extension RealmCollection where Element: KeypathSortable {
  /// Sorts by the values at the end of a path of names.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
  /// The least element; nil: there is none.
  public func min() -> Element? { min(ofProperty: "self") }

  /// The greatest element; nil: there is none.
  public func max() -> Element? { max(ofProperty: "self") }
}

extension RealmCollection where Element.PersistedType: AddableType {
  /// The sum of the elements; 0: there are none.
  public func sum() -> Element { sum(ofProperty: "self") }

  /// The average of the elements; nil: there are none.
  public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
    average(ofProperty: "self")
  }
}

extension RealmCollection where Element.PersistedType: SortableType {
  /// Sorts the elements by themselves.
  public func sorted(ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: "self", ascending: ascending)])
  }

  /// Keeps each element once.
  public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}
