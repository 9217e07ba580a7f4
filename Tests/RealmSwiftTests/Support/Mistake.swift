import Foundation
import Testing

/// The mistakes of all suites. A program of its own makes each, which has to end with Realm's text.
enum Mistake: Codable, Sendable {
  case general(Misuse)
  case ported(PortedMisuse)

  private var text: String {
    switch self {
    case .general(let misuse): misuse.text
    case .ported(let misuse): misuse.text
    }
  }

  private func make() throws {
    switch self {
    case .general(let misuse): try misuse.make()
    case .ported(let misuse): try misuse.make()
    }
  }

  /// Expects that the program ends with the text.
  func expectEnd() async {
    let mistake: Mistake = self
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [mistake = mistake as Mistake] in
      try mistake.make()
      // A mistake that gets here was let pass.
      exit(0)
    }
    let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(told.contains(text))
  }
}
