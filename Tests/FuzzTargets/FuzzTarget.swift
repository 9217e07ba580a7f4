import HTTP

/// What is fuzzed. Each takes any bytes, and traps when what must always hold does not.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case parser
  case chunks
  case connection

  public func run(_ bytes: UnsafeRawBufferPointer) {
    // The first byte says where the rest is cut.
    guard let first = bytes.first else { return }
    let input = Array(bytes.dropFirst())
    let size = Int(first % 32) + 1
    switch self {
    case .parser:
      precondition(Outcome.ofParsing(input, pieces: size) == Outcome.ofParsing(input, pieces: .max))
    case .chunks:
      precondition(Outcome.ofDecoding(input, pieces: size) == Outcome.ofDecoding(input, pieces: .max))
    case .connection: ConnectionExercise(seed: first).run(input)
    }
  }
}
