import AuditLog
import EventHTTP
import FormSchema
import HTTPWire
import JSON
import Sensitive
import Vault

/// Looks for card numbers in what leaves the gateway by a way that is not meant for them, and reports, masks or refuses them
/// (`docs/reference/proxy.md` section 10).
///
/// An alias may look like a card number. Those of the call are known; of other finds the vault is asked whether they are aliases, which
/// only happens once something has been found.
struct PANGuard: Sendable {
    let vault: Vault
    let telemetry: Telemetry
    let audit: AuditLog

    /// What is looked through, and for which form or route.
    struct Subject {
        let scope: GuardFinding.Scope
        let passage: GuardFinding.Passage
        let action: FormSchema.Guard.Action
        /// Aliases and values that are meant to be there.
        var exempt: [SensitiveText] = []

        /// Those of them that have the shape of a card number.
        var exemptions: PANFilter.Exemptions { PANFilter.Exemptions(exempt.lazy.map(\.exposed)) }
    }

    /// The body with card numbers masked, if they are to be; otherwise as it is. Throws `cardNumberRefused`.
    func inspect(_ body: [UInt8], isJSON: Bool = true, _ subject: Subject, _ call: Call) async throws(CallError)
        -> [UInt8]
    {
        guard subject.action != .off,
            await LargeBodies.work(on: body.count, { hasFind(body.span, subject) })
        else { return body }
        let exempt = await exemptions(LargeBodies.work(on: body.count) { numbers(in: body.span, subject) })
        let found = await LargeBodies.work(on: body.count) { Self.found(in: body, isJSON: isJSON, subject, exempt) }
        guard let found else { return body }
        record(subject, count: found.count, places: found.places, call)
        if subject.action == .refuse { throw .cardNumberRefused(places: found.places) }
        return found.filtered
    }

    /// What is found in a body.
    private struct Found {
        let count: Int
        let places: [String]
        /// The body with what is found masked, if it is to be.
        let filtered: [UInt8]
    }

    /// Nil if there is nothing.
    private static func found(
        in body: [UInt8], isJSON: Bool, _ subject: Subject, _ exempt: PANFilter.Exemptions
    ) -> Found? {
        var filter = PANFilter(subject.action == .mask ? .mask : .report, isJSON: isJSON, exempt: exempt)
        let filtered = filter.filter(body, isLast: true)
        guard filter.found > 0 else { return nil }
        let places =
            (isJSON ? CardNumberPointers.pointers(body, exempt: exempt) : nil) ?? filter.places.map { "byte \($0)" }
        return Found(count: filter.found, places: places, filtered: filtered)
    }

    /// Looks through an upstream's response, its headers and its body. A streamed body is looked through while it is read: what is found
    /// then is masked, or ends it. A compressed body, or one in UTF-16 or UTF-32, can't be looked through: it is withheld where a find
    /// would not be passed on.
    ///
    /// - Parameters:
    ///   - response: with the headers that are passed back.
    ///   - headers: all headers of the upstream.
    func inspect(
        _ response: inout CallResponse, of headers: Headers, _ subject: Subject, _ call: Call
    ) async throws(CallError) {
        guard subject.action != .off else { return }
        if subject.action.needsText, response.incoming != nil || !response.body.isEmpty,
            let obstacle = await Self.obstacle(in: response.body, headers)
        {
            throw .responseWithheld(upstreamStatus: response.status, reason: obstacle)
        }
        try await inspectHeaders(of: &response, subject, call)
        // A part may begin within a text: quotes in it tell nothing.
        let isPart = response.status == 206 || headers.contains("Content-Range")
        let isJSON = !isPart && BodyText.isWrittenAsJSON(headers)
        if let incoming = response.incoming {
            if subject.action == .mask { response.removeChecksums() }
            return stream(incoming, isJSON: isJSON, of: headers, subject, call)
        }
        do throws(CallError) {
            let body = try await inspect(response.body, isJSON: isJSON, subject, call)
            if subject.action == .mask, body != response.body { response.replaceBody(body) }
        } catch .cardNumberRefused {
            throw .responseWithheld(upstreamStatus: response.status, reason: .cardNumber)
        }
    }

    /// Throws if the body of a request can't be looked through and a find in it would not be passed on. What its guard has not seen, it
    /// can't have let pass.
    ///
    /// - Parameter headers: of the request.
    func requireReadable(
        _ body: [UInt8], _ headers: Headers, _ subject: Subject
    ) async throws(CallError) {
        guard subject.action.needsText, !body.isEmpty, await Self.obstacle(in: body, headers) != nil else { return }
        throw .unguardedBody
    }

    /// Why card numbers can't be found in a body; nil if they can.
    private static func obstacle(in body: [UInt8], _ headers: Headers) async -> WithheldReason? {
        if let obstacle = BodyText.obstacle(headers) { return obstacle }
        guard BodyText.isText(headers) else { return nil }
        let isWide = await LargeBodies.work(on: body.count) { TextContent.isWide(body) }
        return isWide || TextContent.isForeign(body) ? .charset : nil
    }

    /// Headers that are no text are looked through byte by byte, like the others.
    private func inspectHeaders(
        of response: inout CallResponse, _ subject: Subject, _ call: Call
    ) async throws(CallError) {
        guard hasFind(inHeadersOf: response, subject) else { return }
        let exempt = await exemptions(numbers(inHeadersOf: response, subject))
        try filterHeaders(of: &response, exempt: exempt, subject, call)
    }

    @inline(never)
    private func hasFind(inHeadersOf response: CallResponse, _ subject: Subject) -> Bool {
        var exempt: PANFilter.Exemptions?
        return response.headers.contains { hasFind($0.1.utf8Span.span, subject, &exempt) }
            || response.fixed.opaque.contains { hasFind($0.1.span, subject, &exempt) }
    }

    /// Not inlined: the numbers must not become locals of the asynchronous caller.
    @inline(never)
    private func numbers(inHeadersOf response: CallResponse, _ subject: Subject) -> NumbersToLookUp {
        var numbers = NumbersToLookUp(exempt: subject.exemptions)
        for index in response.headers.indices { numbers.add(response.headers[index].1.utf8Span.span) }
        for (_, value) in response.fixed.opaque { numbers.add(value.span) }
        return numbers
    }

    @inline(never)
    private func filterHeaders(
        of response: inout CallResponse, exempt: PANFilter.Exemptions, _ subject: Subject, _ call: Call
    ) throws(CallError) {
        for index in response.headers.indices {
            let (name, value) = response.headers[index]
            let filtered = try filtered(Array(value.utf8), of: name, exempt, response.status, subject, call)
            if let filtered { response.headers[index].1 = String(decoding: filtered, as: UTF8.self) }
        }
        var opaque = response.fixed.opaque
        var isChanged = false
        for index in opaque.indices {
            let (name, value) = opaque[index]
            guard let filtered = try filtered(value, of: name, exempt, response.status, subject, call) else { continue }
            opaque[index].1 = filtered
            isChanged = true
        }
        if isChanged { response.fixed = (try? FieldBlock(opaque: opaque)) ?? .none }
    }

    /// Nil if the value may be returned as it is.
    private func filtered(
        _ value: [UInt8], of name: String, _ exempt: PANFilter.Exemptions, _ status: Int, _ subject: Subject,
        _ call: Call
    ) throws(CallError) -> [UInt8]? {
        guard case .find = PANScanner.next(value.span, from: 0, isWhole: true) else { return nil }
        var filter = PANFilter(subject.action == .mask ? .mask : .report, isJSON: false, exempt: exempt)
        let filtered = filter.filter(value, isLast: true)
        guard filter.found > 0 else { return nil }
        record(subject, count: filter.found, places: ["header \(name)"], call)
        if subject.action == .refuse { throw .responseWithheld(upstreamStatus: status, reason: .cardNumber) }
        return filtered
    }

    private func stream(
        _ incoming: IncomingBody, isJSON: Bool, of headers: Headers, _ subject: Subject, _ call: Call
    ) {
        let stream = GuardedStream(
            PANFilter(subject.action, isJSON: isJSON, exempt: subject.exemptions)
        ) { count, places in
            record(subject, count: count, places: places.map { "byte \($0)" }, call)
        }
        let mustBeText = subject.action.needsText && BodyText.isText(headers)
        var beginning = TextBeginning()
        incoming.addFilter(keepsLength: subject.action != .mask) { piece, isLast in
            var text = piece
            if mustBeText {
                guard !TextContent.isWide(piece), let known = beginning.pass(piece, isLast: isLast) else { return nil }
                text = known
            }
            return stream.filter(text, isLast: isLast, breaksOff: subject.action == .refuse)
        }
    }

    // MARK: Finds

    /// Whether there is a card number that is not known to be meant, in a text by itself.
    private func hasFind(_ text: Span<UInt8>, _ subject: Subject) -> Bool {
        var exempt: PANFilter.Exemptions?
        return hasFind(text, subject, &exempt)
    }

    /// Whether there is a card number that is not known to be meant. Nothing is allocated as long as there is none.
    ///
    /// - Parameter exempt: the subject's exemptions, once a text needed them; the texts of one message share them.
    @inline(never)
    func hasFind(_ text: Span<UInt8>, _ subject: Subject, _ exempt: inout PANFilter.Exemptions?) -> Bool {
        var position = 0
        // What is exempt is compared one by one as long as it is little, and looked up in a set if it is much: a reveal of four thousand
        // cards finds each of them in its request.
        while case .find(let find) = PANScanner.next(text, from: position, isWhole: true) {
            if subject.exempt.count <= Self.comparedAtMost {
                if !subject.exempt.contains(where: { $0.exposed.hasDigits(find.digits) }) { return true }
            } else {
                let known = exempt ?? subject.exemptions
                exempt = known
                if !known.contain(find) { return true }
            }
            position = find.range.upperBound
        }
        return false
    }

    private static let comparedAtMost = 8

    /// Everything that is known to be no card number or to be meant, and those of the numbers that are aliases of the vault.
    func exemptions(_ numbers: NumbersToLookUp) async -> PANFilter.Exemptions {
        var exempt = numbers.exempt
        // A vault that can't be asked leaves them what they look like.
        if let aliases = try? await vault.lookUp(numbers.texts, mayBeNumbers: true) { exempt.insert(aliases.keys) }
        return exempt
    }

    /// Not inlined: the numbers must not become locals of the asynchronous caller.
    @inline(never)
    private func numbers(in text: Span<UInt8>, _ subject: Subject) -> NumbersToLookUp {
        var numbers = NumbersToLookUp(exempt: subject.exemptions)
        numbers.add(text)
        return numbers
    }

    func record(_ subject: Subject, count: Int, places: [String], _ call: Call) {
        let finding = GuardFinding(
            scope: subject.scope, passage: subject.passage, action: subject.action, count: count, places: places)
        telemetry.recordCardNumbers(finding, requestID: call.id)
        var route: String?
        if case .route(let name) = subject.scope { route = name }
        // A finding that can't be recorded is in the log and the metrics all the same.
        try? audit.record(
            AuditEvent(.cardNumber, of: call, by: call.caller, route: route, count: count, places: places))
    }
}

extension String {
    /// Whether the digits of the text are these.
    fileprivate func hasDigits(_ digits: [UInt8]) -> Bool {
        var index = 0
        for byte in utf8 where byte.isDigit {
            guard index < digits.count, digits[index] == byte else { return false }
            index += 1
        }
        return index == digits.count
    }
}
