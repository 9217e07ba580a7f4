import Testing

/// Which folder of a target may know which. Folders have no imports: the names of types tell.
///
/// Members of types are not seen, nor what is inferred. So a row that is kept is no proof, but one that is broken is
/// one.
struct FolderTests {
  /// The targets that have folders. Files of one folder may all know each other.
  private static func targets() throws -> Set<String> {
    Set(try SourceFile.all(in: "Sources").filter { $0.folder != $0.target }.map(\.target))
  }

  @Test func `every folder of a target with folders has its row, and every row its folder`() throws {
    let targets = try FolderTests.targets()
    let folders = try SourceFile.all(in: "Sources").filter { targets.contains($0.target) }.map(\.folder)
    let rows = FolderRow.all.map(\.folder)
    #expect(Set(folders).symmetricDifference(rows).isEmpty)
    #expect(Set(rows).count == rows.count)
  }

  @Test(arguments: FolderRow.all)
  func `a folder names only types of folders that its row allows`(row: FolderRow) throws {
    let target = String(row.folder.prefix { $0 != "/" })
    var homes: [String: String] = [:]
    for file in try SourceFile.all(in: "Sources/\(target)") {
      for type in file.types { homes[type] = file.folder }
    }
    for file in try SourceFile.all(in: "Sources/\(row.folder)") where file.folder == row.folder {
      for name in file.names.subtracting(file.ownNames) {
        guard let home = homes[name], home != row.folder else { continue }
        let isException = FolderRow.exceptions.contains("\(file.path): \(name)")
        #expect(row.uses.contains(home) || isException, "\(file.path) names \(name) of \(home)")
      }
    }
  }

  @Test func `a folder has at most 25 files`() throws {
    let files = try SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests")
    let sizes = Dictionary(grouping: files) {
      $0.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    let large = sizes.filter { $0.value.count > 25 }.keys
    #expect(large.isEmpty, "\(large.sorted())")
  }

  @Test func `the rows have no cycle`() {
    var placed: Set<String> = []
    // Folders of RealmSwift know each other, as the types of Realm's API do, and so do those of Live below.
    for row in FolderRow.all where !row.folder.hasPrefix("RealmSwift/") && !row.folder.hasPrefix("Live") {
      #expect(row.uses.isSubset(of: placed), "\(row.folder) comes before what it uses")
      placed.insert(row.folder)
    }
  }

  @Test func `names are told from members, comments and texts`() {
    let file = SourceFile(
      path: "Sources/A/B/C.swift",
      lines: [
        "public final class Outer<Value: Sendable> {", "  struct Inner {}  // Comment",
        #"  let text = "Text \"Quoted\" " + Name.Member(.Case)"#, #"  let long = """"#, "    Long",
        #"    """"#,
        "  func f(_ other: Other?) -> [Element] {}", "}", "private enum Hidden {}", "protocol Shown {}",
      ])
    #expect(file.folder == "A/B")
    #expect(file.types == ["Outer", "Shown"])
    #expect(
      file.names == [
        "Outer", "Value", "Sendable", "Inner", "Name", "Other", "Element", "Hidden", "Shown",
      ])
    #expect(file.ownNames == ["Outer", "Value", "Inner", "Hidden", "Shown"])
  }
}
