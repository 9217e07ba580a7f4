/// Cases of the corpus that do not hold here, each with its reason.
public enum Exceptions {
  public static let reasons = [
    "derived/036": "Leading zeros mean nothing: 010 is ten, not eight."
  ]
}
