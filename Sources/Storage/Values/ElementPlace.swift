/// The place of one element of a list or map.
public enum ElementPlace: Hashable, Sendable {
  case key(String)
  case index(Int)
}
