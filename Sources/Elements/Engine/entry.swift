// The functions that `engine.wasm` exports. Texts pass through the engine's own memory: the host allocates a block, fills it, calls,
// and reads the result, which stands until the next call. Lengths and numbers of forms are not negative; -1 says that the result is
// a message about what is wrong instead.

/// The forms that are loaded, by number; nil for one that was unloaded.
nonisolated(unsafe) private var forms: [FormSchema?] = []
/// What the last call wrote.
nonisolated(unsafe) private var result: [UInt8] = []

@_cdecl("allocate")
public func engineAllocate(_ count: Int) -> UnsafeMutableRawPointer? {
    count < 0 ? nil : .allocate(byteCount: max(count, 1), alignment: 1)
}

/// Wipes and frees a block.
@_cdecl("release")
public func engineRelease(_ block: UnsafeMutableRawPointer?) { block?.deallocate() }

/// The first byte of what the last call wrote.
@_cdecl("result")
public func engineResult() -> UnsafePointer<UInt8>? {
    // Sound: the array is not changed before the host has read it.
    result.withUnsafeBufferPointer { $0.baseAddress }
}

/// Wipes what the last call wrote.
@_cdecl("forget")
public func engineForget() { result = [] }

/// Loads a form.
/// - Parameter start: the first byte of the member `schema` of a description, as JSON.
@_cdecl("load")
public func engineLoad(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    let text: JSONText
    do throws(JSONError) {
        text = try JSONText(parsing: Array(UnsafeBufferPointer(start: start, count: count)))
    } catch { return fail("the schema is not JSON") }
    var formats: [String: @Sendable (String) -> Bool] = [:]
    for format in AliasFormat.allCases { formats[format.rawValue] = { format.accepts($0) } }
    let context = LoadContext(
        aliasFormats: formats, routes: nil, maximumAliasItems: .max, bodyLimit: nil, patternMatchLimit: .max,
        timeZoneExists: { _ in true }, isClient: true)
    let log = MistakeLog(file: nil)
    guard let form = FormSchema.load(Document(file: nil, json: text), in: context, log: log) else {
        return fail(log.mistakes.first?.description ?? "the schema is not a form")
    }
    if let free = forms.firstIndex(where: { $0 == nil }) {
        forms[free] = form
        return free
    }
    forms.append(form)
    return forms.count - 1
}

@_cdecl("unload")
public func engineUnload(_ form: Int) {
    if forms.indices.contains(form) { forms[form] = nil }
}

/// Evaluates a submission on a day of the form's time zone.
/// - Parameter start: the first byte of `{"fields": {…}}`.
@_cdecl("evaluate")
public func engineEvaluate(
    _ number: Int, _ start: UnsafePointer<UInt8>?, _ count: Int, _ year: Int, _ month: Int, _ day: Int
) -> Int {
    guard let form = form(number) else { return fail("no such form") }
    guard let today = CalendarDay(year: year, month: month, day: day) else { return fail("no such day") }
    let text: JSONText
    do throws(JSONError) {
        text = try JSONText(parsing: Array(UnsafeBufferPointer(start: start, count: count)))
    } catch { return fail("the submission is not JSON") }
    do throws(SubmissionError) {
        return succeed(form.evaluate(try Submission(text, for: form), today: today))
    } catch {
        switch error {
        case .malformed(let message): return fail(message)
        case .unknownFields(let names): return fail("unknown fields: " + names.joined(separator: ", "))
        }
    }
}

private func succeed(_ evaluation: Evaluation) -> Int {
    var json = JSONWriter(capacity: 2_048)
    evaluation.writeVerdict(into: &json)
    return succeed(json.bytes)
}

/// What a field shows while text is typed into it.
/// - Parameter start: the first byte of `{"field": …, "text": …, "caret": …, "cardNumber": …, "edit": …}`.
@_cdecl("shape")
public func engineShape(_ number: Int, _ start: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    guard let form = form(number) else { return fail("no such form") }
    let text: JSONText
    do throws(JSONError) {
        text = try JSONText(parsing: Array(UnsafeBufferPointer(start: start, count: count)))
    } catch { return fail("not JSON") }
    guard let input = text.value(at: text.root).object, let field = input["field"]?.string,
        let typed = input["text"]?.string, case .number(let caret)? = input["caret"]
    else { return fail("a field, a text and a caret are needed") }
    var json = JSONWriter(capacity: 256)
    let isWritten = form.writeTyped(
        typed, caret: caret.int ?? 0, after: edit(input["edit"]?.object), inField: field,
        cardNumber: input["cardNumber"]?.string ?? "", into: &json)
    return isWritten ? succeed(json.bytes) : fail("no such field")
}

private func edit(_ input: JSONObject?) -> TypedEdit? {
    guard let input, let text = input["text"]?.string, let value = input["value"]?.string,
        case .number(let from)? = input["from"], case .number(let to)? = input["to"]
    else { return nil }
    var isComposed = false
    if case .bool(true)? = input["isComposed"] { isComposed = true }
    return TypedEdit(text: text, value: value, from: from.int ?? 0, to: to.int ?? 0, isComposed: isComposed)
}

private func form(_ number: Int) -> FormSchema? { forms.indices.contains(number) ? forms[number] : nil }

private func succeed(_ bytes: [UInt8]) -> Int {
    result = bytes
    return result.count
}

private func fail(_ message: String) -> Int {
    result = Array(message.utf8)
    // The length of the message follows it, for there is no other place for it.
    return -1 - result.count
}
