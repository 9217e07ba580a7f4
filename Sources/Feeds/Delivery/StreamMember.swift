import GatehouseBSON
import GatehouseStorage

/// One subscription of a multiplexed stream.
///
///     held ──everything up to where it joined has been told──▶ live ──▶ ended
///
/// @unchecked Sendable: Because everything of it that changes is touched on the loop of its stream only.
final class StreamMember: @unchecked Sendable {
  private enum Stage {
    /// Events wait: older ones come first.
    case held([EncodedEvents])
    case live
    case ended
  }

  let request: SubscriptionRequest
  /// The member of the data of its events that names it.
  private let naming: [UInt8]
  /// The group whose events it is told; nil: none yet.
  var group: Int?
  private var stage = Stage.held([])

  init(_ request: SubscriptionRequest) {
    self.request = request
    naming = Array(#""subscription":"#.utf8) + Value.string(request.name).plainJSON + [UInt8(ascii: ",")]
  }

  var isHeld: Bool { if case .held = stage { true } else { false } }
  /// The bytes of the events that wait.
  var heldBytes: Int {
    if case .held(let waiting) = stage { waiting.reduce(0) { $0 + $1.bytes.count } } else { 0 }
  }
  var isEnded: Bool { if case .ended = stage { true } else { false } }
  /// Whether it is shown all that there is before anything else.
  var beginsWithAll: Bool { request.start == .fresh }

  /// Keeps events while older ones come first; false: they are to be told.
  func hold(_ encoded: EncodedEvents) -> Bool {
    guard case .held(var waiting) = stage else { return false }
    stage = .ended
    waiting.append(encoded)
    stage = .held(waiting)
    return true
  }

  /// Everything older has been told. Returns what waits.
  func release() -> [EncodedEvents] {
    guard case .held(let waiting) = stage else { preconditionFailure("a member becomes live once") }
    stage = .live
    return waiting
  }

  func end() {
    stage = .ended
  }

  /// Appends frames of its events, which name it.
  func append(_ frames: UnnamedFrames, to bytes: inout [UInt8]) {
    frames.append(to: &bytes, naming: naming)
  }
}
