import FileTesting
import FormSchema
import Gateway

@testable import Configuration

/// What comes of a `cloakroom.yaml` with `text`, in a folder of its own.
func load(_ text: String, _ overrides: [String] = []) throws -> LoadedConfiguration {
    let folder = try TemporaryFolder(["cloakroom.yaml": text])
    return Configuration.load(
        file: folder.path + "/cloakroom.yaml", overrides: overrides.compactMap { Override($0) })
}

/// Mistakes as `line path`, or `path` where there is no line.
func places(_ loaded: LoadedConfiguration) -> [String] {
    loaded.mistakes.map { mistake in mistake.line.map { "\($0) \(mistake.path)" } ?? mistake.path }
}
