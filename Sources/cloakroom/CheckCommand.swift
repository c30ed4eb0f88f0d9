import ArgumentParser
import Gateway

/// `cloakroom check`: prints every mistake of a configuration, or what it comes to.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Prints every mistake of a configuration, or a summary of it.")

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let configuration = try options.load()
        for form in configuration.forms {
            let fields = form.fieldNames.count
            let title = form.title.map { " \"\($0)\"" } ?? ""
            print("form \(form.form)\(title) \(fields) \(fields == 1 ? "field" : "fields") -> \(form.route ?? "-")")
        }
        for line in configuration.routeLines { print(line) }
    }
}
