import GatehouseFeeds

/// Makes the frames of one event stream of those that the streams of several shards have.
///
/// An event has the positions of all shards as its `id`, or none as long as one is not known: a client that comes back begins then where it
/// did before. `ready` is told once all shards are, and before it a `resync` for those that could not go on; heartbeats are those of the first shard.
struct ShardFrames {
  /// The positions that are known, as texts.
  private var positions: [String?]
  private var isOpen = false
  private var waiting: Set<Int>
  /// The first `resync` of shards, told once all are ready.
  private var resync: Frame?

  private static let id = Array("id: ".utf8)
  private static let end = Array("\n\n".utf8)

  init(from starts: [StreamStart]) {
    positions = starts.map { if case .after(let position) = $0 { position.text } else { nil } }
    waiting = Set(starts.indices)
  }

  /// A frame without its `id`.
  private struct Frame {
    var text: ArraySlice<UInt8>

    func isEvent(_ name: StaticString) -> Bool {
      text.starts(with: Array("event: \(name)\n".utf8))
    }
  }

  /// The positions of all shards; nil: one is not known.
  private var composite: String? {
    let known = positions.compactMap(\.self)
    return known.count == positions.count ? known.joined(separator: "\(ShardVersions.separator)") : nil
  }

  /// Returns what a client is sent of frames of a shard, which are whole.
  mutating func merged(_ bytes: [UInt8], from shard: Int) -> [UInt8] {
    var merged: [UInt8] = []
    var rest = bytes[...]
    while let end = rest.firstRange(of: ShardFrames.end) {
      append(rest[..<end.upperBound], from: shard, to: &merged)
      rest = rest[end.upperBound...]
    }
    precondition(rest.isEmpty, "frames are sent whole")
    return merged
  }

  private mutating func append(_ frame: ArraySlice<UInt8>, from shard: Int, to merged: inout [UInt8]) {
    var frame = Frame(text: frame)
    if frame.text.starts(with: "retry:".utf8) {
      if !isOpen { merged += frame.text }
      isOpen = true
      return
    }
    var hasID = false
    if frame.text.starts(with: ShardFrames.id), let feed = frame.text.firstIndex(of: UInt8(ascii: "\n")) {
      positions[shard] = String(decoding: frame.text[..<feed].dropFirst(ShardFrames.id.count), as: UTF8.self)
      frame.text = frame.text[(feed + 1)...]
      hasID = true
    }
    if frame.isEvent("ready") { return ready(shard, &merged) }
    if frame.isEvent("heartbeat") {
      if shard == 0 { merged += frame.text }
      return
    }
    if frame.isEvent("resync") {
      if let place = ShardFrames.position(in: frame.text) {
        positions[shard] = String(decoding: frame.text[place], as: UTF8.self)
      }
      if waiting.isEmpty { append(resync: frame, &merged) } else { resync = resync ?? frame }
      return
    }
    // A client that had a position, and lost its connection before it was told to read anew, would never know.
    if hasID, resync == nil, let composite {
      merged += "id: \(composite)\n".utf8
    } else if hasID, frame.text.elementsEqual([UInt8(ascii: "\n")]) {
      return
    }
    merged += frame.text
  }

  private mutating func ready(_ shard: Int, _ merged: inout [UInt8]) {
    waiting.remove(shard)
    guard waiting.isEmpty else { return }
    precondition(isOpen, "a stream is open before it is ready")
    if let resync { append(resync: resync, &merged) }
    resync = nil
    let position = composite ?? ""
    merged += "id: \(position)\n\nevent: ready\ndata: {\"position\":\"\(position)\"}\n\n".utf8
  }

  /// Appends a `resync` with the positions of all shards in the place of its own one.
  private func append(resync frame: Frame, _ merged: inout [UInt8]) {
    guard let place = ShardFrames.position(in: frame.text) else { return }
    merged += frame.text[..<place.lowerBound]
    merged += (composite ?? "").utf8
    merged += frame.text[place.upperBound...]
  }

  /// Returns where the position stands in the data of a control event.
  private static func position(in text: ArraySlice<UInt8>) -> Range<Int>? {
    guard let name = text.firstRange(of: Array("\"position\":\"".utf8)),
      let end = text[name.upperBound...].firstIndex(of: UInt8(ascii: "\""))
    else { return nil }
    return name.upperBound..<end
  }
}
