import Glibc

/// Certificates made for this test run by the `openssl` command: an authority, a server certificate of it for the name
/// `localhost` and the address 127.0.0.1, one for another name, one that has the name `localhost` as its common name alone, a client certificate, and a second authority; the server's
/// key encrypted with a password, as `locked.key` in OpenSSL's own format and as `sealed.key` in PKCS #8.
public struct TestCertificates: Sendable {
    let directory: String

    /// The file of a certificate, or of its key (`server.key`).
    public func path(_ name: String) -> String { "\(directory)/\(name).pem" }

    public static let shared = TestCertificates()

    private init() {
        var template = Array("/var/tmp/cloakroom-certificates-XXXXXX".utf8CString)
        directory = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, mkdtemp(start) != nil else { return "" }
            return String(cString: start)
        }
        let script = """
            cd '\(directory)' && exec 2>/dev/null
            new='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'
            for ca in ca stranger; do openssl req -x509 $new -keyout $ca.key.pem -out $ca.pem -subj /CN=$ca; done
            issue() { openssl req $new -keyout $1.key.pem -out $1.csr -subj "/CN=$1"
                printf "subjectAltName=$2" > $1.ext
                openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key.pem -CAcreateserial -days 2 -extfile $1.ext -out $1.pem; }
            issue server DNS:localhost,IP:127.0.0.1
            issue other DNS:other.example
            issue tenant DNS:tntk2d7.sandbox.verygoodproxy.com,DNS:tntk2d7-7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11.sandbox.verygoodproxy.com
            issue client DNS:client.example
            openssl req $new -keyout localhost.key.pem -out localhost.csr -subj /CN=localhost
            openssl x509 -req -in localhost.csr -CA ca.pem -CAkey ca.key.pem -CAcreateserial -days 2 -out localhost.pem
            openssl ec -in server.key.pem -aes256 -passout pass:password -out locked.key.pem
            openssl pkcs8 -topk8 -in server.key.pem -passout pass:password -out sealed.key.pem
            """
        let process = popen(script, "r")
        pclose(process)
        atexit {
            for name in TestCertificates.shared.files { unlink(name) }
            rmdir(TestCertificates.shared.directory)
        }
    }

    /// Everything in the directory.
    private var files: [String] {
        guard let socket = opendir(directory) else { return [] }
        defer { closedir(socket) }
        var files: [String] = []
        while let entry = readdir(socket) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            files.append("\(directory)/\(name)")
        }
        return files
    }
}
