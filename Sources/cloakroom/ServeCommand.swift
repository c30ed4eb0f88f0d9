import ArgumentParser
import Configuration
import Gateway
import Glibc

/// `cloakroom serve`: runs the gateway until a signal stops it.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Runs the gateway.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        // SIGHUP means reload. Its default action would end a process that is still starting.
        signal(SIGHUP, SIG_IGN)
        let loaded = options.read()
        // Without a configuration there is no log.
        if loaded.configuration == nil { ConfigurationOptions.printWarnings(of: loaded) }
        let configuration = try options.configuration(of: loaded)
        do {
            let sink = try LogSink()
            defer { sink.finish() }
            let gateway = try await Gateway(configuration, warnings: loaded.warnings, sink: sink)
            let options = options
            let service = try Service(gateway) { options.read(running: $0) }
            let addresses = try gateway.start()
            let line = "listening on \(addresses.clients.joined(separator: " and ")), admin on \(addresses.admin)\n"
            // A service may be started without one: it writes nothing else there.
            if !ProcessHardening.hasNoOutput { try StandardOutput.write(Array(line.utf8)) }
            service.announceReady()
            let isRecorded = await service.waitUntilStopped()
            // The log says what could not be recorded.
            if !isRecorded { throw ExitCode(1) }
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardError.print("cloakroom: \(error)")
            throw ExitCode(1)
        }
    }
}
