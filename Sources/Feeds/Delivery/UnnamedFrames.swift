/// Frames of events, and the places in them where each event of a multiplexed stream names its subscription.
struct UnnamedFrames: Sendable {
  private let bytes: [UInt8]
  /// Behind the brace that begins the data of each event.
  private let places: [Int]

  /// Finds the places: JSON has no line feeds, so that a line which begins so is the data of an event.
  init(_ bytes: [UInt8]) {
    let beginning = Array("\ndata: {".utf8)
    var places: [Int] = []
    var start = 0
    while start + beginning.count <= bytes.count {
      guard let feed = bytes[start...].firstIndex(of: beginning[0]) else { break }
      start = feed + 1
      guard feed + beginning.count <= bytes.count,
        bytes[feed..<feed + beginning.count].elementsEqual(beginning)
      else { continue }
      start = feed + beginning.count
      places.append(start)
    }
    self.bytes = bytes
    self.places = places
  }

  /// Appends the frames, each with `member`, which ends in a comma, as the first member of its data.
  func append(to frames: inout [UInt8], naming member: [UInt8]) {
    var start = 0
    frames.reserveCapacity(frames.count + bytes.count + places.count * member.count)
    for place in places {
      frames += bytes[start..<place]
      frames += member
      start = place
    }
    frames += bytes[start...]
  }
}
