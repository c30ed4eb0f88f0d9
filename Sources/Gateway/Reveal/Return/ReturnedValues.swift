import EventHTTP
import HTTPWire

/// Puts aliases in the place of the values of one call in its response (`docs/reference/proxy.md` section 7): in the headers that
/// are passed back, and in the body, whole or piece by piece.
///
/// A class: a streamed body is read after the call has returned. `@unchecked Sendable` is sound because one task uses it, the one
/// that reads the body.
final class ReturnedValues: @unchecked Sendable {
    private let finder: ValueFinder
    private var scrubber: ResponseScrubber?

    init(_ values: RevealedValues) {
        finder = ValueFinder(values.pairs)
    }

    /// The response with aliases. Throws if it can't be searched.
    ///
    /// - Parameter response: is about to be returned; its headers are those that the route passes back.
    func scrub(_ response: inout CallResponse, of upstream: ClientResponse) throws(WithheldReason) {
        scrubHeaders(of: &response)
        guard response.incoming != nil || !response.body.isEmpty else { return }
        let kind = try BodyText.kind(of: upstream)
        if kind.isASCIIAlone, finder.hasForeignLetters { throw WithheldReason.notText }
        if let incoming = response.incoming {
            stream(incoming, kind.syntax)
            response.removeChecksums()
        } else {
            var coding = UTF8Pieces()
            if TextContent.isForeign(response.body)
                || finder.hasForeignLetters && !coding.areValid(with: response.body, isLast: true)
            {
                throw WithheldReason.notText
            }
            var scrubber = ResponseScrubber(finder, kind.syntax)
            let body: [UInt8]
            do throws(ResponseScrubber.Unreadable) { body = try scrubber.scrub(response.body, isLast: true) } catch {
                throw WithheldReason.notText
            }
            if scrubber.found > 0 { response.replaceBody(body) }
        }
    }

    private func stream(_ incoming: IncomingBody, _ syntax: TextSyntax) {
        scrubber = ResponseScrubber(finder, syntax)
        var beginning = TextBeginning()
        var coding = finder.hasForeignLetters ? UTF8Pieces() : nil
        incoming.addFilter { [self] piece, isLast in
            guard let text = beginning.pass(piece, isLast: isLast),
                coding?.areValid(with: text, isLast: isLast) ?? true
            else { return nil }
            return try? scrubber?.scrub(text, isLast: isLast)
        }
    }

    private func scrubHeaders(of response: inout CallResponse) {
        for index in response.headers.indices {
            guard response.headers[index].0 != CallResponse.upstreamStatusName, mayHoldValue(response.headers[index].1)
            else { continue }
            if let text = scrubbed(Array(response.headers[index].1.utf8)) {
                response.headers[index].1 = String(decoding: text, as: UTF8.self)
            }
        }
        let opaque = response.fixed.opaque
        guard !opaque.isEmpty else { return }
        // These headers are not UTF-8. A value with letters beyond ASCII can't be found in them, so that they are sent empty then.
        let isSearched = !finder.hasForeignLetters
        response.fixed =
            (try? FieldBlock(opaque: opaque.map { ($0.0, isSearched ? scrubbed($0.1) ?? $0.1 : []) })) ?? .none
    }

    private func mayHoldValue(_ header: String) -> Bool {
        let bytes = header.utf8Span.span
        return finder.beginnings.next(bytes, from: 0) < bytes.count
    }

    /// Nil if there is nothing to replace.
    private func scrubbed(_ value: [UInt8]) -> [UInt8]? {
        var scrubber = ResponseScrubber(finder, .header)
        guard let text = try? scrubber.scrub(value, isLast: true) else { return [] }
        return scrubber.found > 0 ? text : nil
    }
}
