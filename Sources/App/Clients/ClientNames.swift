/// Gives out identifiers, each once, that resemble the names of a schema.
///
/// None is a keyword, nor an identifier of the requests that each client begins with.
struct ClientNames {
  private var taken: Set<String>

  init(of language: ClientLanguage) {
    taken = language.keywords.union(Self.identifiers(of: String(decoding: language.requests, as: UTF8.self)))
    // The type that has the classes.
    taken.insert("Gatehouse")
  }

  /// - Parameter taken: Identifiers that are not given out.
  init(without taken: Set<String>) {
    self.taken = taken
  }

  /// Returns an identifier for the name: itself, where it is one that nobody has.
  mutating func take(_ name: String) -> String {
    let identifier = Self.identifier(name)
    var candidate = identifier
    var count = 1
    while !taken.insert(candidate).inserted {
      candidate = count == 1 ? "\(identifier)_" : "\(identifier)_\(count)"
      count += 1
    }
    return candidate
  }

  /// Replaces what stands in no identifier by underscores.
  private static func identifier(_ name: String) -> String {
    var identifier = ""
    for scalar in name.unicodeScalars {
      if scalar.continuesIdentifiers {
        identifier.unicodeScalars.append(scalar)
      } else if !identifier.hasSuffix("_") {
        identifier += "_"
      }
    }
    if identifier == "_" { return "name" }
    guard let first = identifier.unicodeScalars.first, first.beginsIdentifiers else {
      return "n\(identifier)"
    }
    return identifier
  }

  /// The words of a program that are no comment, those in texts included.
  private static func identifiers(of program: String) -> Set<String> {
    var found: Set<String> = []
    for line in program.split(separator: "\n") {
      let text = line.drop { $0 == " " }
      if ["//", "/*", "*", "#"].contains(where: text.hasPrefix) { continue }
      for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
        found.insert(String(word))
      }
    }
    return found
  }
}

extension Unicode.Scalar {
  /// Whether all of the languages let an identifier begin with it (UAX #31).
  fileprivate var beginsIdentifiers: Bool { self == "_" || properties.isXIDStart && isPlain }

  fileprivate var continuesIdentifiers: Bool { self == "_" || properties.isXIDContinue && isPlain }

  /// Whether Python, which takes identifiers in the form NFKC, leaves it as it is: all letters but compatibility forms, which are in
  /// these blocks.
  private var isPlain: Bool {
    switch value {
    case 0xAA, 0xB2...0xBA, 0x132...0x133, 0x13F...0x140, 0x149, 0x17F, 0x1C4...0x1CC, 0x1F1...0x1F3,
      0x2B0...0x385,
      0x3D0...0x3D6, 0x3F0...0x3FF, 0x587, 0x675...0x678, 0x958...0x95F, 0xE33, 0xEB3, 0xEDC...0xEDD,
      0xF00...0xFFF,
      0x10FC, 0x1D00...0x1DFF, 0x1E9A...0x1E9B, 0x1F00...0x1FFF, 0x2000...0x2DFF, 0x3000...0x3040,
      0x3099...0x309C,
      0x309F, 0x30FF...0x31FF, 0x3200...0x33FF, 0xA69C...0xA7FF, 0xAB5C...0xAB69, 0xF900...0xFFFF, 0x10000...:
      false
    default: true
    }
  }
}
