import Testing

/// Rules of CONTRIBUTING.md about parameters, names and sizes, as far as a program can hold them.
struct StyleTests {
  /// The parameters and names of RealmSwift are those of Realm's API.
  static let targets = Row.all.map(\.target).filter { $0 != "RealmSwift" }

  @Test(arguments: targets)
  func `three unlabelled parameters need a reason`(target: String) throws {
    try check(target, StyleExceptions.unlabelled) {
      $0.unlabelledCount >= 3
    }
  }

  @Test(arguments: targets)
  func `seven parameters of an initializer need a reason`(target: String) throws {
    try check(target, StyleExceptions.initializers) {
      $0.isInitializer && $0.parameters.count > 6
    }
  }

  @Test(arguments: targets)
  func `more than three functions of one name in a type need a reason`(target: String) throws {
    let found = Overloads.counts(in: try SourceFile.all(in: "Sources/\(target)")).filter { $0.value > 3 }.keys
    let names = Set(found.map { "\(target).\($0)" })
    let reasons = Set(StyleExceptions.overloads.keys.filter { $0.hasPrefix("\(target).") })
    #expect(names.subtracting(reasons).isEmpty, "no reason: \(names.subtracting(reasons).sorted())")
    #expect(reasons.isSubset(of: names), "no longer too many: \(reasons.subtracting(names).sorted())")
  }

  @Test func `functions count for the type that has them, and operators do not`() {
    let text = """
      extension A.B {
        // func f()
        public static func f() { func f() {} }
        struct C: D {
          func f<T>(_ t: T) {}
          static func < (one: C, two: C) -> Bool { false }
        }
        @discardableResult func f(x: Int) {}
      }
      func f() {}
      """
    let file = SourceFile(path: "Sources/X/A.swift", lines: text.split(separator: "\n").map(String.init))
    #expect(Overloads.counts(in: [file]) == ["A.B.f": 2, "A.B.C.f": 1])
  }

  @Test(arguments: targets)
  func `more than 700 lines of a type need a reason`(target: String) throws {
    let large = Set(try TypeSize.all(in: target).filter { $0.lines > 700 }.map(\.name))
    let reasons = Set(StyleExceptions.types.keys.filter { $0.hasPrefix("\(target).") })
    #expect(large.subtracting(reasons).isEmpty, "too large: \(large.sorted())")
    #expect(reasons.isSubset(of: large), "no longer too large: \(reasons.subtracting(large).sorted())")
  }

  @Test func `declarations are found with their labels`() {
    let text = """
      struct A {
        // func no(_ a: Int)
        init(_ a: Int, b: [String: (Int, Int)] = [:]) {}
        func f<T: Sequence<Int>>(_ x: T, in y: inout Int, @Escaping _ z: (A, B) -> C<D, E>) -> Int { g(1, 2) }
        static func < (_ one: A, two: A) -> Bool { .init(one, two) && "func s(_ a: Int)".isEmpty }
        private func empty() { let a = A(1); _ = A.init(2) }
      }
      """
    let file = SourceFile(path: "Sources/X/A.swift", lines: text.split(separator: "\n").map(String.init))
    #expect(
      file.declarations.map(\.signature) == ["init(_:b:)", "f(_:in:_:)", "<(_:two:)", "empty()"])
    #expect(file.declarations.map(\.unlabelledCount) == [1, 2, 1, 0])
  }

  /// Compares what offends in a target with what the lists allow, by file and signature.
  private func check(
    _ target: String, _ reasons: [String: [String: String]], where offends: (Declaration) -> Bool
  ) throws {
    var found: Set<String> = []
    for file in try SourceFile.all(in: "Sources/\(target)") {
      let name = file.path.split(separator: "/").last.map(String.init) ?? ""
      for declaration in file.declarations where offends(declaration) {
        found.insert("\(name) \(declaration.signature)")
      }
    }
    let listed = Set(reasons[target]?.keys.map { $0 } ?? [])
    let surplus = found.subtracting(listed)
    #expect(surplus.isEmpty, "\(surplus.sorted().joined(separator: "\n"))")
    #expect(listed.isSubset(of: found), "no longer offends: \(listed.subtracting(found).sorted())")
  }
}
