internal import Glibc

/// The bytes of a request's content, which can be read again from any place.
struct ContentSource: ~Copyable {
  private let content: ClientRequest.Content
  /// The file's; -1 where there is none.
  private let descriptor: Int32
  let size: Int
  var offset = 0

  init(_ content: ClientRequest.Content) throws(ClientError) {
    self.content = content
    switch content {
    case .none: (size, descriptor) = (0, -1)
    case .bytes(let bytes): (size, descriptor) = (bytes.count, -1)
    case .file(let path, let count):
      precondition(count >= 0, "a content has no less than no bytes")
      size = count
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .unreadableContent }
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Reads on into the room; 0: that was all. nil: the file cannot be read, or has ended.
  mutating func read(into room: UnsafeMutableRawBufferPointer) -> Int? {
    precondition(offset >= 0 && offset <= size, "a content is read from a place in it")
    let count = min(room.count, size - offset)
    guard count > 0 else { return 0 }
    switch content {
    case .none: return 0
    case .bytes(let bytes):
      bytes.withUnsafeBytes {
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + count)]))
      }
      offset += count
      return count
    case .file:
      let read = pread(descriptor, room.baseAddress, count, offset)
      guard read > 0 else { return nil }
      offset += read
      return read
    }
  }
}
