import Foundation
import ProcessTesting

/// An authority of the test's own and what it signs, as PEM files in a workspace.
struct Certificates {
    let workspace: Workspace
    /// The authority's certificate.
    var authority: String { workspace.path(of: "ca.pem") }

    init(in workspace: Workspace) throws {
        self.workspace = workspace
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Test-CA -keyout ca.key -out ca.pem"
                + " -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign")
    }

    /// Makes `name.pem` and `name.key`, for this subject alternative name.
    ///
    /// - Parameter key: its kind, as `openssl req -newkey` takes it.
    func issue(
        _ name: String, for subject: String, days: Int = 2, key: String = "ec -pkeyopt ec_paramgen_curve:P-256"
    ) throws {
        try workspace.write("subjectAltName=\(subject)\n", to: "\(name).cnf")
        try openssl("req -newkey \(key) -nodes -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
        try openssl(
            "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) -extfile \(name).cnf -out \(name).pem"
        )
    }

    /// The secret numbers of `name.key`, most significant byte first.
    func secrets(of name: String) throws -> [[UInt8]] {
        let run = try Command(
            "/usr/bin/openssl", ["pkey", "-in", workspace.path(of: "\(name).key"), "-text", "-noout"], in: workspace)
        var secrets: [[UInt8]] = []
        var isSecret = false
        for line in run.output.split(separator: "\n") {
            if line.first != " " {
                isSecret = ["priv:", "privateExponent:", "prime1:", "prime2:"].contains(line)
                if isSecret { secrets.append([]) }
            } else if isSecret, !secrets.isEmpty {
                secrets[secrets.count - 1] += line.split(separator: ":")
                    .compactMap { UInt8($0.trimmingCharacters(in: .whitespaces), radix: 16) }
            }
        }
        return secrets.map { Array($0.drop { $0 == 0 }) }
    }

    private func openssl(_ arguments: String) throws {
        let words = arguments.split(separator: " ").map(String.init)
        let run = try Command("/usr/bin/env", ["-C", workspace.path, "openssl"] + words, in: workspace)
        guard run.end == .exit(0) else { throw Trouble("openssl: \(run.errors)") }
    }
}
