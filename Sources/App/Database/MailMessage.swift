import GatehouseAPI
import GatehouseAccess
import GatehouseBSON

/// A message of RFC 5322 with one text.
struct MailMessage: Sendable {
  /// With CRLF at the ends of its lines.
  let bytes: [UInt8]

  init(_ mail: AccountMail, from sender: String, template: MailTemplate, at now: Date = .now) {
    let domain = sender.split(separator: "@").last.map(String.init) ?? "localhost"
    let fields = [
      ("From", "<\(sender)>"), ("To", "<\(mail.email)>"), ("Subject", MailMessage.encoded(mail.subject)),
      ("Date", MailMessage.text(of: now)), ("Message-ID", "<\(ObjectID.generate())@\(domain)>"),
      ("MIME-Version", "1.0"), ("Content-Type", "text/plain; charset=utf-8"),
      ("Content-Transfer-Encoding", "base64"), ("Auto-Submitted", "auto-generated"),
    ]
    var text = fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    var rest = Base64.encode(Array(template.text(for: mail).utf8))[...]
    while !rest.isEmpty {
      text += rest.prefix(76) + "\r\n"
      rest = rest.dropFirst(76)
    }
    bytes = Array(text.utf8)
  }

  /// A text in a field: as it stands where it is plain, otherwise in encoded words of 75 characters at most (RFC 2047 §2).
  private static func encoded(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), !text.contains("=?"), text.utf8.count < 900 {
      return text
    }
    var words: [String] = []
    var word = ""
    for character in text where !character.isNewline {
      if word.utf8.count + character.utf8.count > 45 {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    words.append(word)
    return words.map { "=?utf-8?B?\(Base64.encode(Array($0.utf8)))?=" }.joined(separator: "\r\n ")
  }

  /// RFC 5322 §3.3. Days of the week are optional.
  private static func text(of time: Date) -> String {
    // RFC 3339: 2026-11-26T14:00:00Z.
    var bytes: [UInt8] = []
    Date(seconds: time.seconds).appendText(to: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.prefix(10).split(separator: "-")
    guard parts.count == 3, let month = Int(parts[1]), months.indices.contains(month - 1) else {
      return "1 Jan 1970 00:00:00 +0000"
    }
    return "\(parts[2]) \(months[month - 1]) \(parts[0]) \(text.dropFirst(11).prefix(8)) +0000"
  }
}

/// The text of a mail, in which `{{link}}` and `{{email}}` stand for those.
struct MailTemplate: Sendable {
  private let text: String

  /// Reads the template of a purpose in a folder; where there is none, it is one of ours.
  init(_ purpose: PasswordAccount.Purpose, in folder: String) {
    let file = "\(folder)/\(purpose.rawValue).txt"
    if let bytes = try? InputFile.contents(of: file) {
      text = String(decoding: bytes, as: UTF8.self)
    } else {
      text =
        switch purpose {
        case .confirm: "Please confirm that {{email}} is your address:\n\n{{link}}\n"
        case .reset:
          "Here you can set a new password for {{email}}:\n\n{{link}}\n\nWhoever did not ask for it need not do anything.\n"
        }
    }
  }

  func text(for mail: AccountMail) -> String {
    text.replacing("{{link}}", with: mail.link).replacing("{{email}}", with: mail.email)
  }
}
