import Access
import Crypto

/// Hashes passwords, one after the other, away from the event loops: each takes some hundredths of a second, and
/// together they may take no more than one processor.
actor PasswordWork {
  private let cost: ScryptCost
  /// What is compared with where there is no account, so that time does not tell.
  private lazy var decoy = PasswordHash(of: "", cost: cost)

  init(cost: ScryptCost) {
    self.cost = cost
  }

  func hash(_ password: String) -> PasswordHash {
    PasswordHash(of: password, cost: cost)
  }

  /// Whether that is the password; nil: there is none, and the answer is no.
  func matches(_ hash: PasswordHash?, _ password: String) -> Bool {
    guard let hash else {
      _ = decoy.matches(password)
      return false
    }
    return hash.matches(password)
  }
}
