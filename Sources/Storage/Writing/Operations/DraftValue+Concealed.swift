import GatehouseModel

extension DraftValue {
  /// Returns what is to be stored where this value is written over `stored` by somebody who sees `seen` of that: what is
  /// concealed stays.
  ///
  /// Elements that a list or set does not show stay where they are, and the written ones take the places of those that it
  /// shows. Null stays the concealed link that it stands for where it is written to the same place: the property, the key,
  /// or the same element of a list of mixed values.
  func keeping(_ stored: DraftValue, seenAs seen: DraftValue) -> DraftValue {
    if self == seen { return stored }
    switch (self, seen, stored) {
    case (.list(let new), .list(let seen), .list(let stored)):
      return .list(
        seen.count < stored.count ? new.filling(stored, seenAs: seen) : new.keeping(stored, seenAs: seen))
    case (.map(let new), .map(let seen), .map(let stored)):
      return .map(new.map { Entry(key: $0.key, value: $0.value.keeping($0.key, of: stored, seenAs: seen)) })
    case (.embedded(let new), .embedded(let seen), .embedded(let stored)):
      return .embedded(new.keeping(stored, seenAs: seen))
    case (.value, _, _), (.link, _, _), (.embedded, _, _), (.list, _, _), (.map, _, _): return self
    }
  }

  /// Returns what is to be stored where this value is written to an entry of a map.
  func keeping(_ key: String, of stored: [Entry], seenAs seen: [Entry]) -> DraftValue {
    guard let stored = stored.first(where: { $0.key.compareBytes(key) == 0 }),
      let seen = seen.first(where: { $0.key.compareBytes(key) == 0 })
    else { return self }
    return keeping(stored.value, seenAs: seen.value)
  }

  /// The part of a value inside; nil: there is none.
  func part(_ segment: String) -> DraftValue? {
    switch self {
    case .map(let entries): entries.first { $0.key.compareBytes(segment) == 0 }?.value
    case .list(let values): ListIndex.place(segment, in: values.count).map { values[$0] }
    case .value, .link, .embedded: nil
    }
  }

  /// A value of the kind that holds nothing.
  fileprivate var emptied: DraftValue {
    switch self {
    case .value, .link, .embedded: .value(.null)
    case .list: .list([])
    case .map: .map([])
    }
  }
}

extension [DraftValue] {
  /// The elements of `stored` that are not in `seen`, which shows each value or does not.
  func concealed(seenAs seen: [DraftValue]) -> [Bool] {
    let seen = Set(seen)
    return map { !seen.contains($0) }
  }

  /// Puts the elements in the places of those that are shown, and the rest behind all.
  fileprivate func filling(_ stored: [DraftValue], seenAs seen: [DraftValue]) -> [DraftValue] {
    var rest = self[...]
    var filled: [DraftValue] = []
    for (element, isConcealed) in zip(stored, stored.concealed(seenAs: seen)) {
      if isConcealed { filled.append(element) } else if let next = rest.popFirst() { filled.append(next) }
    }
    return filled + rest
  }

  /// Each element that is what was shown in its place stays what it is.
  fileprivate func keeping(_ stored: [DraftValue], seenAs seen: [DraftValue]) -> [DraftValue] {
    enumerated().map { index, new in
      index < seen.count && index < stored.count && new == seen[index] ? stored[index] : new
    }
  }
}

extension ObjectDraft {
  /// Returns what is to be stored where this is written over an embedded object.
  fileprivate func keeping(_ stored: ObjectDraft, seenAs seen: ObjectDraft) -> ObjectDraft {
    var draft = self
    for (stored, seen) in zip(stored.assignments, seen.assignments) where stored != seen {
      let place =
        draft.assignments.firstIndex { $0.property >= stored.property } ?? draft.assignments.endIndex
      let isGiven = place < draft.assignments.endIndex && draft.assignments[place].property == stored.property
      let new = isGiven ? draft.assignments[place].value : seen.value.emptied
      let kept = Assignment(property: stored.property, value: new.keeping(stored.value, seenAs: seen.value))
      draft.assignments.replaceSubrange(place..<(isGiven ? place + 1 : place), with: [kept])
    }
    return draft
  }
}
