import ArgumentParser
import Gateway
import Glibc

/// `cloakroom serve`: runs the gateway until a signal ends it.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Runs the gateway.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // It asks for a reload; until there is something to be read again it must not end the process.
        signal(SIGHUP, SIG_IGN)
        let configuration = try options.load()
        do {
            let sink = try LogSink()
            let gateway = try await Gateway(configuration, sink: sink)
            let service = try Service(gateway, configuration)
            let addresses = try gateway.start()
            let line = "listening on \(addresses.clients.joined(separator: " and ")), admin on \(addresses.admin)\n"
            let bytes = Array(line.utf8)
            write(STDOUT_FILENO, bytes, bytes.count)
            let isRecorded = await service.waitUntilStopped()
            sink.finish()
            // The log has told what is missing.
            if !isRecorded { throw ExitCode(1) }
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
