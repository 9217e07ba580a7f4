// To be designed by the Query work.
public struct KeyPath: Hashable, Sendable {}
public indirect enum Predicate: Hashable, Sendable { case always }
