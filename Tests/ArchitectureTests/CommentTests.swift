import Testing

/// Comments are sentences that begin with their subject or their verb, as far as a program can tell.
struct CommentTests {
  @Test(arguments: Row.all.map(\.target))
  func `a comment of a target begins with its subject or its verb`(target: String) throws {
    let found = try SourceFile.all(in: "Sources/\(target)").flatMap(riddles)
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }

  @Test(arguments: [
    "Tests", "Scripts", ".ci", "Sources/Functions/Worker", "Sources/Console", "Sources/C", "openapi",
  ])
  func `so does one in tests, scripts, JavaScript, C and the contract`(folder: String) throws {
    let files = try SourceFile.others(in: folder) + (folder == "Tests" ? SourceFile.all(in: folder) : [])
    #expect(!files.isEmpty)
    let found = files.flatMap(riddles)
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }

  /// Types and modules; members are for DocC to find.
  @Test func `a link of a comment or a page leads to a type that is there`() throws {
    let files = try SourceFile.all(in: "Sources")
    let modules = Row.all.map { $0.target == "RealmSwift" ? $0.target : "Gatehouse\($0.target)" }
    let names = files.reduce(into: Set(modules)) { $0.formUnion($1.ownNames) }
    for file in try files + SourceFile.pages(in: "Sources") {
      for (number, line) in file.lines.enumerated() where line.contains("``") {
        for link in CommentTests.links(of: line) where link.first?.isUppercase == true {
          let type = String(link.prefix { $0.isLetter || $0.isNumber })
          #expect(names.contains(type) || type == "Swift", "\(file.path):\(number + 1) \(link)")
        }
      }
    }
  }

  @Test func `links are told from code`() {
    #expect(CommentTests.links(of: "/// ``A/b(_:)`` and `c`, ``D``") == ["A/b(_:)", "D"])
  }

  private static func links(of line: String) -> [Substring] {
    line.matches(of: /``([^`]+)``/).map { $0.1 }
  }

  @Test(arguments: [
    ("What it holds.", true), ("Likewise.", true), ("Of what is added.", true), ("So many bytes.", true),
    ("Whoever asks.", true), ("Those of a kind.", true), ("That of the other.", true), ("One of them.", true),
    ("One for each.", true), ("Nor any that waits.", true), ("There is none.", true),
    ("Whatever the bytes are, they are kept.", false), ("Offset in bytes.", false), ("One page.", false),
    ("So that nothing is lost.", false), ("Returns what is left.", false), ("That many bytes.", false),
  ])
  func `a riddle is known by its first words`(text: String, isRiddle: Bool) {
    #expect(Comments.isRiddle(text) == isRiddle)
  }

  @Test(arguments: [
    ("A.swift", ["let a = 1  // What", "  /// What", "  /// more", "  ///", "  /// What else"], [2, 5]),
    ("a.js", ["// One of them.", "// What"], [1]), ("a.py", ["#!/bin/sh", "# Of all", "x = 1 # Of"], [2]),
    (
      "a.yaml",
      [
        "a: {type: string, description: 'What is'}", "summary: Of a", "description: |", "  Those", "  Those",
      ], [1, 2, 4]
    ),
  ])
  func `riddles are found where comments and paragraphs begin`(name: String, lines: [String], found: [Int]) {
    #expect(Comments(in: SourceFile(path: "X/\(name)", lines: lines)).riddles == found)
  }

  private func riddles(in file: SourceFile) -> [String] {
    Comments(in: file).riddles.map { "\(file.path):\($0) \(file.lines[$0 - 1])" }
  }
}
