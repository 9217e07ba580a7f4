import GatehouseBSON
import GatehouseHTTP

/// A part that is fuzzed. Each takes any bytes, and traps where an invariant does not hold.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case parser
  case chunks
  case connection
  case lexer
  case syntax
  case binder
  case values
  case records
  case nats
  case transactions

  public func run(_ bytes: UnsafeRawBufferPointer) {
    // The first byte says where the rest is cut, which arguments a query has, or how values are encoded.
    guard let first = bytes.first else { return }
    let input = Array(bytes.dropFirst())
    let size = Int(first % 32) + 1
    switch self {
    case .parser:
      precondition(Outcome.ofParsing(input, pieces: size) == Outcome.ofParsing(input, pieces: .max))
    case .chunks:
      precondition(Outcome.ofDecoding(input, pieces: size) == Outcome.ofDecoding(input, pieces: .max))
    case .connection: ConnectionExercise(seed: first).run(input)
    case .lexer: QueryExercise.cut(input)
    case .syntax: QueryExercise.parse(String(decoding: input, as: UTF8.self))
    case .binder: QueryExercise.bind(String(decoding: input, as: UTF8.self), arguments: Int(first % 4))
    case .values: ValueExercise.count(input, isBSON: first % 2 == 1)
    case .records:
      let formats = SequenceFormat.allCases
      RecordExercise.scan(input, as: formats[Int(first) % formats.count], pieces: size)
    case .nats:
      NATSExercise.parse(input, pieces: size)
      NATSExercise.decode(input)
    case .transactions: TransactionExercise.read(input, pieces: size)
    }
  }
}
