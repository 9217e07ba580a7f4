import Testing

/// Which target may know which: SwiftPM itself does not reject an import that Package.swift does not declare.
struct ImportTests {
  @Test func `every target has its row, and every row its target`() throws {
    let rows = Set(Row.all.map(\.target)).union(Row.libraries)
    #expect(try SourceFile.folders(in: "Sources") == rows)
  }

  @Test(arguments: Row.all)
  func `a target imports only what its row allows`(row: Row) throws {
    for file in try SourceFile.all(in: "Sources/\(row.target)") {
      let surplus = Set(file.imports).subtracting(row.ours).subtracting(row.system)
      #expect(surplus.isEmpty, "\(file.path) imports \(surplus.sorted())")
    }
  }

  @Test(arguments: Row.all)
  func `a target imports only targets that Package.swift declares for it`(row: Row) throws {
    let declared = try declaredDependencies(of: row.target)
    for file in try SourceFile.all(in: "Sources/\(row.target)") {
      let undeclared = Set(file.imports).intersection(row.ours).subtracting(declared)
      #expect(undeclared.isEmpty, "\(file.path) imports \(undeclared.sorted())")
    }
    #expect(declared.isSubset(of: row.ours), "Package.swift gives \(row.target) more than its row")
  }

  @Test func `a library of the system has one importer`() throws {
    for library in Row.libraries {
      let importers = Row.all.filter { $0.ours.contains(library) }.map(\.target)
      let expected =
        switch library {
        case "CLinux": ["Scheduling", "Server"]
        case "COpenSSL": ["Crypto", "Cluster", "Server"]
        default: [importers.first ?? ""]
        }
      #expect(importers == expected, "\(library): \(importers)")
    }
  }

  @Test func `the rows have no cycle`() {
    var placed = Row.libraries
    for row in Row.all {
      #expect(row.ours.isSubset(of: placed), "\(row.target) comes before what it imports")
      placed.insert(row.target)
    }
  }

  /// The folders that the manifest names in `uses:` of that target.
  private func declaredDependencies(of target: String) throws -> Set<String> {
    let manifest = try SourceFile.manifest()
    let declarations = manifest.split(separator: /\.(?:system|library|program|support|tests)\(/)
    let declaration = try #require(
      declarations.first { $0.firstMatch(of: /^\s*"(\w+)"/)?.1 == target[...] })
    guard let list = declaration.firstMatch(of: /uses: \[([^\]]*)\]/)?.1 else { return [] }
    return Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
  }
}
