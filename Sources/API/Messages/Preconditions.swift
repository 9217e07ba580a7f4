import GatehouseHTTP
import GatehouseModel
import GatehouseStorage

/// The If-Match and If-None-Match fields of a request (RFC 9110 §13).
struct Preconditions: Hashable, Sendable {
  let matches: EntityTags?
  let noneMatches: EntityTags?

  init(_ fields: Fields) throws(APIError) {
    matches = try fields["if-match"].map { value throws(APIError) in try EntityTags(value, field: "If-Match")
    }
    noneMatches = try fields["if-none-match"].map { value throws(APIError) in
      try EntityTags(value, field: "If-None-Match")
    }
  }

  /// Returns what must hold for a write of one object: a version, that it exists, or (`If-None-Match: *`) that it
  /// doesn't. Anything else is refused, since it would be silently ignored otherwise.
  func forWriting() throws(APIError) -> GatehouseStorage.Operation.Precondition {
    switch (matches, noneMatches) {
    case (nil, nil): .none
    case (.any?, nil): .exists
    case (.list?, nil): .version(matches?.versions ?? [])
    case (nil, .any?): .absent
    case (_?, _?), (nil, .list?): throw .invalidPrecondition("If-None-Match")
    }
  }

  /// Like ``forWriting()``, where a condition may have to be given.
  func forWriting(
    _ type: ObjectType, _ conditionalWrites: ConditionalWrites
  ) throws(APIError) -> GatehouseStorage.Operation.Precondition {
    let precondition = try forWriting()
    if precondition == .none, conditionalWrites.areRequired(for: type.name) {
      throw .preconditionRequired(nil)
    }
    return precondition
  }

  /// Whether there are none.
  var isEmpty: Bool { matches == nil && noneMatches == nil }

  /// Refuses the preconditions of a write of what has no entity tag: there, no condition can be kept.
  func refuse() throws(APIError) {
    if matches != nil { throw .invalidPrecondition("If-Match") }
    if noneMatches != nil { throw .invalidPrecondition("If-None-Match") }
  }

  /// Whether a reader has the representation already (304).
  func isCurrent(_ tag: EntityTag) throws(APIError) -> Bool {
    try checkMatch(tag)
    return noneMatches?.contains(weakly: tag) ?? false
  }

  /// Throws ``APIError/preconditionFailed`` where If-Match does not hold for an object that is there.
  func checkMatch(_ tag: EntityTag) throws(APIError) {
    guard case .list? = matches, matches?.contains(tag.state) != true else { return }
    throw .preconditionFailed
  }
}
