extension RealmCollectionImpl {
  public func _rlmSectioned<Key: _Persistable & Hashable>(
    _ sortDescriptors: [SortDescriptor], _ block: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    check()
    if Key._rlmType == .object { fatalError("Links are not supported as section keys.") }
    let sorted: CollectionSource<Element> =
      sortDescriptors.isEmpty ? source : self.sorted(by: sortDescriptors).source
    guard case .managed(let context, let live) = sorted else { fatalError(onlyManaged) }
    return SectionedResults(grouping: SectionGrouping(context, live, by: block))
  }
}

extension RealmCollection {
  /// The elements in sections by what a closure makes of each, sorted.
  public func sectioned<Key: _Persistable & Hashable>(
    sortDescriptors: [SortDescriptor], _ keyBlock: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    if sortDescriptors.isEmpty { fatalError("Can not section Results with empty sortDescriptor parameter.") }
    return _rlmSectioned(sortDescriptors, keyBlock)
  }

  /// The values in sections by what a closure makes of each, sorted by themselves.
  public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping (Element) -> Key, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    _rlmSectioned([SortDescriptor(keyPath: "self", ascending: ascending)], block)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects in sections by the values of a property, sorted by it.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(
      by: keyPath, sortDescriptors: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The objects in sections by the values of a property, sorted by it in the first place.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    guard let first = sortDescriptors.first else {
      fatalError("Can not section Results with empty sortDescriptor parameter.")
    }
    if first.keyPath != _name(for: keyPath) {
      fatalError("The section key path must match the primary sort descriptor.")
    }
    return _rlmSectioned(sortDescriptors) { $0[keyPath: keyPath] }
  }

  /// The objects in sections by what a closure makes of each, sorted.
  public func sectioned<Key: _Persistable & Hashable>(
    by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(sortDescriptors: sortDescriptors, block)
  }
}

extension RealmCollection {
  /// The views in sections by the values of a property, sorted by it.
  public func sectioned<Key: _Persistable & Hashable, O: ObjectBase>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> where Element: Projection<O> {
    sectioned(
      by: keyPath, sortDescriptors: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The views in sections by the values of a property, sorted by it in the first place.
  public func sectioned<Key: _Persistable & Hashable, O: ObjectBase>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> where Element: Projection<O> {
    guard let first = sortDescriptors.first else {
      fatalError("Can not section Results with empty sortDescriptor parameter.")
    }
    if first.keyPath != _name(for: keyPath) {
      fatalError("The section key path must match the primary sort descriptor.")
    }
    return _rlmSectioned(sortDescriptors) { $0[keyPath: keyPath] }
  }

  /// The views in sections by what a closure makes of each, sorted.
  public func sectioned<Key: _Persistable & Hashable, O: ObjectBase>(
    by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> where Element: Projection<O> {
    sectioned(sortDescriptors: sortDescriptors, block)
  }
}
