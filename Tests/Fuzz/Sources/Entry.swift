import Glibc

/// What libFuzzer calls. `FUZZ_TARGET` names the target; a broken promise of the target ends the process, which libFuzzer reports with
/// the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func run(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ run: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// What SwiftPM has the linker take for `main`.
@_cdecl("fuzz_main")
public func main(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = (count, arguments)
    return runDriver(&count, &arguments) { run($0, $1) }
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
