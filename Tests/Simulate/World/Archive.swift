import GatehouseBSON
import GatehouseHTTP

/// The change log as it was read while it was there.
struct Archive {
  private(set) var content: [UInt8] = []
  private(set) var lastVersion: Int64 = 0
  /// Whether some of it was removed before it was read.
  var hasGap = false

  mutating func append(_ bytes: [UInt8]) throws {
    let lines = bytes.split(separator: 0x0A)
    guard let first = lines.first, let last = lines.last else { return }
    // From 0 on the log is read from what there is of it.
    guard try version(of: first) == lastVersion + 1 else {
      hasGap = true
      return
    }
    content += bytes
    lastVersion = try version(of: last)
  }

  private func version(of line: ArraySlice<UInt8>) throws -> Int64 {
    guard let version = try Value(json: Array(line), as: .plain)["version"]?.integer else {
      throw Failure("a line of the log has no version: \(String(decoding: line, as: UTF8.self))")
    }
    return Int64(version)
  }
}

extension World {
  /// Reads the log again and again, before old changes leave it.
  func keepArchive() async {
    while !isOver, !archive.hasGap {
      await untilUp()
      if let service { _ = try? await extendArchive(from: service) }
      await pause(1...60)
    }
  }

  /// Reads what has come to the log; false: some of it cannot be had any more.
  func extendArchive(from service: Service) async throws -> Bool {
    guard !archive.hasGap else { return false }
    let since = archive.lastVersion
    let request = Self.request(.get, "/v1/changes?since=\(since)", ["accept": "application/x-ndjson"])
    guard let answer = await service.answer(request, onLoop: 0), since == archive.lastVersion else {
      return false
    }
    switch answer.status {
    case 200: try archive.append(answer.content)
    case 410: archive.hasGap = true
    default: return false
    }
    return !archive.hasGap
  }
}
