import Foundation
import JSON
import ProcessTesting
import Testing

/// Clients that are known by their certificates.
@Suite(.waits) struct ClientCertificateTests {
    private let workspace: Workspace
    private let certificates: Certificates
    private let gateway: GatewayProcess

    init() throws {
        let credentials = """
            credentials:
              - {name: dev, username: dev, secret: dev-secret, scopes: ["aliases:reveal"]}
              - {name: shop, clientCertificate: shop, scopes: ["aliases:create"]}
              - {name: till, clientCertificate: till.shop.example, scopes: ["aliases:reveal"]}

            """
        let start = Setting.base.range(of: "credentials:")?.lowerBound ?? Setting.base.endIndex
        workspace = try Setting.workspace(Setting.base[..<start] + credentials)
        certificates = try Certificates(in: workspace)
        try certificates.issue("server", for: "DNS:localhost")
        // The name of each file is the common name of its certificate.
        try certificates.issue("shop", for: "DNS:unused.example")
        try certificates.issue("other", for: "DNS:till.shop.example")
        try certificates.issue("stranger", for: "DNS:stranger.example")
        let path = workspace.path
        gateway = try GatewayProcess(
            in: workspace,
            [
                "--set",
                "server.tls={certificate: \(path)/server.pem, key: \(path)/server.key, clientCA: \(path)/ca.pem}",
            ])
    }

    /// Status of a creation of an alias.
    private func create(as name: String, _ more: String...) throws -> String {
        try Command(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "30", "--cacert", certificates.authority, "--cert",
                workspace.path(of: "\(name).pem"), "--key", workspace.path(of: "\(name).key"), "-o",
                workspace.path(of: "answer"), "-w", "%{http_code}", "-H", "Content-Type: application/json", "-d",
                #"{"data":[{"value":"x","format":"UUID"}]}"#,
            ] + more + ["https://localhost:\(gateway.port)/aliases"], in: workspace
        ).output
    }

    @Test func aCertificateIsACredential() throws {
        #expect(try create(as: "shop") == "201")
    }

    /// A session that is resumed shows no certificate, and would go on after its end.
    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func noSessionIsResumed(_ version: String) throws {
        let run = try Command(
            "/usr/bin/env",
            [
                "sh", "-c",
                """
                (printf 'GET /v1/forms HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n'; sleep 0.5) | openssl s_client \
                \(version) -connect localhost:\(gateway.port) -CAfile \(certificates.authority) -ign_eof \
                -cert \(workspace.path(of: "shop.pem")) -key \(workspace.path(of: "shop.key"))
                """,
            ], in: workspace)
        #expect(run.output.contains("HTTP/1.1 200 OK") && !run.output.contains("ession ticket"), "\(run.output)")
    }

    /// A connection on which a client has proved its names ends with the authority that signed for it; another certificate of the server
    /// changes nothing.
    @Test(arguments: [false, true])
    func anAuthorityThatIsReplaced(isReplaced: Bool) throws {
        let other = try Workspace()
        let replacement = isReplaced ? try Certificates(in: other).authority : certificates.authority
        try certificates.issue("server", for: "DNS:localhost")
        try workspace.write(
            """
            import http.client, os, shutil, signal, ssl, sys, time, urllib.request
            port, admin, process, folder, authority = sys.argv[1:]
            context = ssl.create_default_context(cafile=folder + "/trusted.pem")
            context.load_cert_chain(folder + "/shop.pem", folder + "/shop.key")
            connection = http.client.HTTPSConnection("localhost", int(port), context=context)
            def create():
                connection.request("POST", "/aliases", '{"data":[{"value":"x","format":"UUID"}]}',
                                   {"Content-Type": "application/json"})
                response = connection.getresponse()
                response.read()
                return response.status
            print(create())
            if authority != folder + "/ca.pem": shutil.copy(authority, folder + "/ca.pem")
            os.kill(int(process), signal.SIGHUP)
            while b'"reload"' not in urllib.request.urlopen(f"http://127.0.0.1:{admin}/health/ready").read(): time.sleep(0.01)
            try: print(create())
            except (http.client.RemoteDisconnected, ssl.SSLError, OSError): print("closed")
            """, to: "client.py")
        try FileManager.default.copyItem(atPath: certificates.authority, toPath: workspace.path(of: "trusted.pem"))
        let run = try Command(
            "/usr/bin/python3",
            [
                workspace.path(of: "client.py"), "\(gateway.port)", "\(gateway.adminPort)", "\(gateway.process.pid)",
                workspace.path, replacement,
            ], in: workspace)
        #expect(run.lines == ["201", isReplaced ? "closed" : "201"], "\(run.errors)")
    }

    /// What arrives late proves nothing by an authority that was taken away meanwhile, and goes on under one that stayed.
    @Test(arguments: [(keeps: false, adds: true, status: "401"), (true, true, "201"), (true, false, "201")])
    func aRequestThatIsCompleteAfterTheReload(keeps: Bool, adds: Bool, status: String) throws {
        let other = try Workspace()
        var authorities = keeps ? try String(contentsOfFile: certificates.authority, encoding: .utf8) : ""
        if adds { authorities += try String(contentsOfFile: Certificates(in: other).authority, encoding: .utf8) }
        try workspace.write(authorities, to: "new.pem")
        try certificates.issue("server", for: "DNS:localhost")
        try workspace.write(
            """
            import os, shutil, signal, socket, ssl, sys, time, urllib.request
            port, admin, process, folder = sys.argv[1:]
            context = ssl.create_default_context(cafile=folder + "/ca.pem")
            context.load_cert_chain(folder + "/shop.pem", folder + "/shop.key")
            body = b'{"data":[{"value":"x","format":"UUID"}]}'
            head = b"POST /aliases HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
            connections = [context.wrap_socket(socket.create_connection(("localhost", int(port))), server_hostname="localhost")
                           for _ in range(2)]
            sent = [head[:1], head + body[:9]]
            for connection, part in zip(connections, sent): connection.sendall(part)
            time.sleep(0.2)
            shutil.copy(folder + "/new.pem", folder + "/ca.pem")
            os.kill(int(process), signal.SIGHUP)
            while b'"reload"' not in urllib.request.urlopen(f"http://127.0.0.1:{admin}/health/ready").read(): time.sleep(0.01)
            for connection, part in zip(connections, sent):
                connection.sendall((head + body)[len(part):])
                print(connection.recv(4096).split()[1].decode())
            """, to: "client.py")
        let run = try Command(
            "/usr/bin/python3",
            [
                workspace.path(of: "client.py"), "\(gateway.port)", "\(gateway.adminPort)", "\(gateway.process.pid)",
                workspace.path,
            ], in: workspace)
        #expect(run.lines == [status, status], "\(run.errors)")
    }

    @Test func aCertificateHasItsOwnScopes() throws {
        #expect(try create(as: "other") == "403")
    }

    @Test func aCertificateThatNoCredentialNamesProvesNothing() throws {
        #expect(try create(as: "stranger") == "401")
    }

    @Test func whatTheCallPresentsGoesFirst() throws {
        #expect(try create(as: "shop", "-u", "dev:dev-secret") == "403")
        #expect(try create(as: "shop", "-u", "dev:wrong") == "401")
    }

    @Test func itNeedsAnAuthority() throws {
        let other = try Setting.workspace("credentials: [{name: a, clientCertificate: b, scopes: []}]\nforms: forms/")
        let check = try Command.cloakroom(["check", "--config", other.path(of: "cloakroom.yaml")], in: other)
        #expect(check.end == .exit(1))
        #expect((check.output + check.errors).contains("clientCA"))
    }
}
