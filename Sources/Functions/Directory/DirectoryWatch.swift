internal import CGatehouseProcess
internal import Glibc

/// Notices changes below the functions directory, and in the folders beside it that belong to it.
///
/// The kernel notes a change before the call that makes it returns, so that whoever saves a file and then calls
/// finds it changed.
struct DirectoryWatch: ~Copyable {
  private let descriptor: Int32
  private let directory: String
  /// The watch of the directory's parent, of which only ``names`` matter.
  private var parent: Int32 = -1
  private let names: Set<String>

  /// The folders of an exported app beside its functions.
  static let companions = ["values", "environments"]

  init(_ directory: String) {
    self.directory = directory
    names = Set(
      Self.companions + ["realm_config.json", directory.split(separator: "/").last.map(String.init) ?? ""])
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    watch()
  }

  deinit {
    close(descriptor)
  }

  /// Whether anything has changed since the last call.
  mutating func hasChanged() -> Bool {
    var matters = false
    while let events = events() {
      if holdsChange(events) { matters = true }
    }
    // Folders may be new.
    if matters { watch() }
    return matters
  }

  /// Reads the pending events; nil if there are none, as nearly always.
  private func events() -> ArraySlice<UInt8>? {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      return count > 0 ? Array(buffer[..<count])[...] : nil
    }
  }

  /// Whether one of the events is about the functions. An event is a `struct inotify_event`: descriptor, mask, cookie
  /// and the length of the name that follows.
  private func holdsChange(_ events: ArraySlice<UInt8>) -> Bool {
    var rest = events
    while rest.count >= 16 {
      let number = { (offset: Int) in
        rest.dropFirst(offset).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      let length = Int(number(12))
      let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
      if Int32(bitPattern: number(0)) != parent { return true }
      if names.contains(String(decoding: name, as: UTF8.self)) { return true }
      rest = rest.dropFirst(16 + length)
    }
    return false
  }

  private mutating func watch() {
    let folder = directory.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    let created = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
    parent = inotify_add_watch(descriptor, folder.isEmpty ? "/" : folder, UInt32(created | IN_ONLYDIR))
    for companion in Self.companions { add("\(folder)/\(companion)", depth: 1) }
    add(directory, depth: 8)
  }

  private func add(_ folder: String, depth: Int) {
    // Not `IN_CLOSE_WRITE`: where a process was forked meanwhile, its copy of the descriptor is closed later than the
    // writer's, and what was written is told by `IN_MODIFY` already.
    let changed = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MODIFY | IN_ATTRIB
    guard inotify_add_watch(descriptor, folder, UInt32(changed | IN_ONLYDIR)) >= 0, depth > 1 else { return }
    // Packages are many folders, which nobody edits.
    for name in TextFile.names(in: folder) where name != "node_modules" && !name.hasPrefix(".") {
      if TextFile.isFolder("\(folder)/\(name)") { add("\(folder)/\(name)", depth: depth - 1) }
    }
  }
}
