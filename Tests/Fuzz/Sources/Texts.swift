import Configuration
import EventIO
import Glibc
import JSON

@testable import Access
@testable import EventHTTP
@testable import FormSchema

/// What is read is written, and reads as the same.
func fuzzJSON(_ bytes: [UInt8]) {
    let first: JSONValue
    do { first = try JSONValue.parse(bytes, maximumDepth: 40) } catch { return }
    var writer = JSONWriter(capacity: bytes.count)
    writer.value(first)
    let written = writer.bytes
    guard let second = try? JSONValue.parse(written, maximumDepth: 40) else { return promise(false, "does not read") }
    var again = JSONWriter(capacity: bytes.count)
    again.value(second)
    promise(again.bytes == written, "differs")
    guard let text = try? JSONText(parsing: bytes, maximumDepth: 40) else { return promise(false, "is no text") }
    var third = JSONWriter(capacity: bytes.count)
    third.value(of: text, at: text.root)
    promise(third.bytes == written, "text and value differ")
}

private let context = LoadContext(
    aliasFormats: ["UUID": { _ in true }, "FPE_SIX_T_FOUR": { (12...19).contains($0.utf8.count) }],
    routes: ["echo": .echo], maximumAliasItems: 20, bodyLimit: 1 << 20, patternMatchLimit: 10_000,
    timeZoneExists: { $0 == "UTC" })

private let form: FormSchema = {
    let document = """
        {"form":"f","route":"echo","fields":[
        {"name":"card","type":"cardNumber","isRequired":true,"tokenization":{"format":"FPE_SIX_T_FOUR"}},
        {"name":"cvc","type":"cvc","tokenization":{"storage":"VOLATILE"}},
        {"name":"exp","type":"expDate","outputDateFormat":"longYear","serializers":[{"expDate":{"month":"m","year":"y"}}]},
        {"name":"ssn","type":"ssn"},{"name":"holder","type":"cardHolderName"},
        {"name":"phone","mask":"(###) ### - ####","transform":{"matcher":"\\\\D"},"validationRules":[{"rule":"phone"}]},
        {"name":"date","type":"date"}]}
        """
    let log = MistakeLog(file: nil)
    guard let json = try? JSONValue.parse(Array(document.utf8)),
        let form = FormSchema.load(Document(file: nil, json: json), in: context, log: log)
    else { fatalError("\(log.mistakes)") }
    return form
}()

/// A submission is judged, and its result is JSON. No card number goes on raw.
func fuzzSubmission(_ bytes: [UInt8]) {
    guard let text = try? JSONText(parsing: bytes), let submission = try? Submission(text, for: form),
        let today = CalendarDay(year: 2026, month: 11, day: 23)
    else { return }
    let evaluation = form.evaluate(submission, today: today)
    var writer = JSONWriter(capacity: 512)
    evaluation.writeVerdict(into: &writer)
    promise((try? JSONValue.parse(writer.bytes)) != nil, "the verdict is no JSON")
    promise(evaluation.isValid || evaluation.nextField != nil)
    guard evaluation.refusal == nil else { return }
    let aliases = (0..<evaluation.aliasItemCount).map { "alias\($0)" }
    guard let body = evaluation.redactedBody(aliases: aliases) else { return promise(false, "no body") }
    promise((try? JSONValue.parse(body)) != nil, "the body is no JSON")
    guard let number = onlyNumber(in: bytes) else { return }
    promise(!String(decoding: body, as: UTF8.self).contains(number), "a card number goes on raw")
}

/// The digits of the submission's card number; nil if others might be the same, as another field or `extraData` may hold what it likes.
private func onlyNumber(in bytes: [UInt8]) -> String? {
    guard let members = try? JSONValue.parse(bytes).object, members["extraData"] == nil,
        let fields = members["fields"]?.object?.members
    else { return nil }
    let digits = fields.map { (name: $0.key, digits: ($0.value.string ?? "").filter(\.isASCII).filter(\.isNumber)) }
    guard digits.allSatisfy({ $0.name == "card" || $0.digits.count < 12 }) else { return nil }
    return digits.first { $0.name == "card" && $0.digits.count >= 12 }?.digits
}

/// A form is loaded, or its mistakes are named.
func fuzzForm(_ bytes: [UInt8]) {
    guard let json = try? JSONValue.parse(bytes, maximumDepth: 20) else { return }
    let log = MistakeLog(file: nil)
    let form = FormSchema.load(Document(file: nil, json: json), in: context, log: log)
    promise((form != nil) == log.mistakes.isEmpty, "a form beside mistakes, or neither")
}

private let dependencies: LoaderDependencies = {
    LoaderDependencies(
        vault: .init(
            aliasFormats: [.init(name: "UUID", isUnmistakable: true, accepts: { _ in true })], databaseSuffixes: [""],
            exists: { _ in true }, masterKeyFault: { _ in nil }, isDatabaseVerified: { _ in true },
            databaseFault: { _, _ in nil }),
        tls: .init(
            authoritiesFault: { _ in nil }, certificateFault: { _ in nil }, keyFault: { _ in nil },
            expiries: { _ in [] }, beginnings: { _ in [] },
            identityFault: { _, _ in nil }),
        keySetFault: { _ in nil }, isAuditLog: { _ in true },
        timeZoneExists: { $0 == "UTC" }, now: { 1_800_000_000 })
}()

private let file: String = {
    let folder = "/dev/shm/cloakroom-fuzz-\(getpid())"
    mkdir(folder, 0o700)
    return folder + "/cloakroom.yaml"
}()

/// A configuration is loaded, or its mistakes are named.
func fuzzConfiguration(_ bytes: [UInt8]) {
    guard let stream = fopen(file, "w") else { fatalError("no file") }
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
    let loaded = Configuration.load(file: file, servesRequests: false, with: dependencies)
    promise(loaded.configuration != nil || !loaded.mistakes.isEmpty, "neither a configuration nor mistakes")
}

/// A header is read as one, or as unfinished for as long as it is; never beyond its end.
func fuzzProxyHeader(_ bytes: [UInt8]) {
    do throws(ProxyHeader.Malformed) {
        guard let header = try ProxyHeader.parse(bytes.span) else {
            return promise(bytes.count < ProxyHeader.maximumBytes, "unfinished beyond the limit")
        }
        promise(header.byteCount > 0 && header.byteCount <= bytes.count)
        for count in 0..<header.byteCount {
            promise(try ProxyHeader.parse(bytes.span.extracting(0..<count)) == nil, "ends before its end")
        }
        promise(try ProxyHeader.parse(bytes.span.extracting(0..<header.byteCount))?.source?.host == header.source?.host)
    } catch { return }
}

/// An address is written as it is read; and a proxy is taken for the client only if a header names it.
func fuzzAddresses(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let address = IPAddress(text) {
        promise(IPAddress(address.description) == address, "\(address)")
        promise([address].compactMap { Network("\($0)") }.contains(address), "not in its own network")
    }
    _ = Network(text)
    guard let proxy = IPAddress("10.0.0.1"), let network = Network("10.0.0.0/8") else { return }
    let proxies = TrustedProxies([network])
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (forwarded, plain) in [(parts, []), ([], parts), (parts, parts)] as [([String], [String])] {
        let client = proxies.client(of: proxy, forwarded: forwarded, xForwardedFor: plain)
        let isNamed = text.contains("10.0.0.1") || text.contains(":")
        promise(!client.isProven || client.address != proxy || isNamed, "a proxy is taken for the client")
    }
    guard let stranger = IPAddress("192.0.2.1") else { return }
    let believed = proxies.client(of: stranger, forwarded: parts, xForwardedFor: parts)
    promise(believed.address == stranger && believed.isProven, "a stranger's header is believed")
}

private let (verifier, session): (SessionVerifier, [UInt8]) = {
    let claims = SessionClaims(
        id: SessionID(high: 1, low: 2), credential: "shop", form: "checkout", operations: [.send], scopes: [],
        issuedAt: 1_000, expiresAt: 2_000)
    guard let key = try? SessionKey([UInt8](repeating: 7, count: 32)), let token = try? key.token(for: claims)
    else { fatalError("no key") }
    return (SessionVerifier(key), Array(token.utf8))
}()

/// The session with the input written over it, from a place that its first byte chooses.
private func altered(by bytes: [UInt8]) -> [UInt8] {
    let start = Int(bytes.first ?? 0) * session.count / 256
    let content = bytes.dropFirst().prefix(session.count - start)
    return Array(session.prefix(start) + content + session.dropFirst(start + content.count))
}

/// Only what was signed is a session; whatever else is in a token does not trap.
func fuzzToken(_ bytes: [UInt8]) {
    promise(verifier.claims(of: session) != nil, "the session is refused")
    for token in [bytes, altered(by: bytes)] where token != session {
        promise(verifier.claims(of: token) == nil, "a session that was not signed")
    }
    _ = try? SignedToken(bytes)
    _ = SignedToken.isLikely(bytes)
    _ = Presented(header: String(decoding: bytes, as: UTF8.self))
    if let presented = Presented(header: "Bearer " + String(decoding: bytes, as: UTF8.self)) { _ = presented.secret }
    _ = try? JSONWebKeySet(document: bytes)
}
