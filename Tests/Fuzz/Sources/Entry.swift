import Glibc

/// What libFuzzer calls. `FUZZ_TARGET` names the target; a broken promise of the target ends the process, which libFuzzer reports with
/// the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func run(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "requests": fuzzRequest, "responses": fuzzResponse, "chunked": fuzzChunks, "json": fuzzJSON,
    "submissions": fuzzSubmission, "forms": fuzzForm, "configuration": fuzzConfiguration, "proxy": fuzzProxyHeader,
    "addresses": fuzzAddresses, "tokens": fuzzToken,
]

private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else { fatalError("FUZZ_TARGET must be one of \(targets.keys.sorted())") }
    return target
}()

func promise(_ isKept: Bool, _ what: @autoclosure () -> String = "") {
    if !isKept { fatalError("promise broken: \(what())") }
}
