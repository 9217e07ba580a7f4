/// A query as it was written: names not yet looked up, literals not yet given a type.
struct SyntaxTree {
  var predicate: Node
  var clauses: [Clause]
  /// Where it takes arguments, as often as it does.
  var argumentUses: [ArgumentUse] = []

  /// One place where the value of an argument is taken.
  struct ArgumentUse {
    var index: Int
    /// Whether the argument is a text that is read: words to search for, a region, a path.
    var isRead = false
    var offset: Int
  }

  /// A predicate.
  indirect enum Node {
    case truth(Bool)
    case and([Node])
    case or([Node])
    case not(Node)
    case comparison(Term, Relation, Term)
    /// The offset is the bounds'.
    case between(Term, Term, offset: Int)
    case text(Term, Term, offset: Int)
    case geoWithin(Path, GeoArgument)
  }

  /// A comparison's operator and where it stands.
  struct Relation {
    var kind: Token.Kind
    var caseSensitive: Bool
    var offset: Int
  }

  /// One side of a comparison.
  enum Term {
    case literal(Literal, offset: Int)
    case argument(Int, Quantifier?, offset: Int)
    case list([Term], Quantifier?, offset: Int)
    case path(Path)
    indirect case aggregate(Path, AggregateFunction, property: Path.Name?)
    indirect case subquery(Path, variable: String, Node, offset: Int)
    indirect case arithmetic(Term, ArithmeticOperator, Term, offset: Int)

    var offset: Int {
      switch self {
      case .literal(_, let offset), .argument(_, _, let offset), .list(_, _, let offset),
        .subquery(_, _, _, let offset), .arithmetic(_, _, _, let offset):
        offset
      case .path(let path), .aggregate(let path, _, _): path.offset
      }
    }
  }

  /// A value in the text.
  enum Literal {
    case null
    case bool(Bool)
    /// Decimal digits with a sign, or `0x` and hexadecimal digits.
    case integer(String)
    /// Without the `f`.
    case float(String, isFloat32: Bool)
    case infinity(isNegative: Bool)
    case nan
    case string(String)
    case data([UInt8])
    case date(seconds: Int64, nanoseconds: Int32)
    case uuid(String)
    case objectID(String)
    indirect case object(objectType: String, primaryKey: Term)
  }

  /// A step after the predicate.
  enum Clause {
    case sort([(path: Path, ascending: Bool)])
    case distinct([Path])
    case limit(Int)
  }

  /// The region of GEOWITHIN, or an argument that holds its text.
  enum GeoArgument {
    case region(GeoShape, offset: Int)
    case argument(Int, offset: Int)
  }

  /// A region as written; each point with its coordinates.
  enum GeoShape {
    case box([Term], [Term])
    case circle([Term], radius: Term)
    case polygon([[[Term]]])
  }
}

extension SyntaxTree {
  /// A path as written.
  struct Path {
    /// A name and where it stands.
    struct Name {
      var text: String
      var offset: Int
    }

    /// An operation behind a path's elements.
    enum Suffix {
      case count
      case type
    }

    /// One element of a path.
    enum Element {
      case name(Name)
      case position(Position, offset: Int)
      case all(offset: Int)
      case key(String, offset: Int)
      case argument(Int, offset: Int)
      /// `$K0`: a name or names given as an argument.
      case keyPathArgument(Int, offset: Int)

      /// Whether it is given as an argument.
      var isArgument: Bool {
        switch self {
        case .argument, .keyPathArgument: true
        case .name, .position, .all, .key: false
        }
      }
    }

    var elements: [Element]
    var quantifier: Quantifier?
    var suffix: Suffix?
    var offset: Int
  }
}
