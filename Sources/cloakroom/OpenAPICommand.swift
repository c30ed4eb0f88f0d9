import ArgumentParser
import Configuration
import Gateway

/// `cloakroom openapi`: describes the calls of a configuration.
struct OpenAPICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Prints the HTTP API of a configuration as an OpenAPI 3.1 document.")

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = try options.load()
        try StandardOutput.write(
            OpenAPIDocument(configuration).bytes + [UInt8(ascii: "\n")])
    }
}
