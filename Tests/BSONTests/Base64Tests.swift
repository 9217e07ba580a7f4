import GatehouseBSON
import Testing

@Test(arguments: [
  ("", "", ""), ("f", "Zg==", "Zg"), ("fo", "Zm8=", "Zm8"), ("foo", "Zm9v", "Zm9v"),
  ("foob", "Zm9vYg==", "Zm9vYg"), ("fooba", "Zm9vYmE=", "Zm9vYmE"), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
  ("\u{3FF}\u{3FE}~?", "z7/Pvn4/", "z7_Pvn4_"),
])
func `bytes have a text in either alphabet`(text: String, standard: String, urlSafe: String) {
  let bytes = Array(text.utf8)
  #expect(Base64.encode(bytes) == standard)
  #expect(Base64.encode(bytes, as: .urlSafe) == urlSafe)
  #expect(Base64.decode(standard) == bytes)
  #expect(Base64.decode(urlSafe, as: .urlSafe) == bytes)
}

@Test(arguments: [
  "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "==", "====", "Z===", "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm-v",
  "Zm9vé", "Z=g=",
])
func `another text is no standard Base 64`(text: String) {
  #expect(Base64.decode(text) == nil)
}

@Test func `URL-safe text may be padded, but not wrongly`() {
  #expect(Base64.decode("Zg==", as: .urlSafe) == Array("f".utf8))
  #expect(Base64.decode("Zg=", as: .urlSafe) == nil)
  #expect(Base64.decode("Zm8/", as: .urlSafe) == nil)
}

@Test func `all bytes survive`() {
  var generator = ValueGenerator(seed: 3)
  for _ in 0..<500 {
    let bytes = generator.bytes()
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    #expect(Base64.decode(Base64.encode(bytes, as: .urlSafe), as: .urlSafe) == bytes)
  }
}
