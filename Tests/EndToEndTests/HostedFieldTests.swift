import JSON
import ProcessTesting
import Testing

/// The files for browsers, as they are served (`docs/reference/browser.md` section 1), and the hosted fields in Chromium.
@Suite(.waits) struct HostedFieldTests {
    private static let forms = [
        "shop": """
        form: shop
        allowedOrigins: ["https://shop.example", "https://other.example:8443"]
        fields: [{name: note}]
        """, "own": "form: own\nfields: [{name: note}]",
    ]

    private func gateway(_ settings: String...) throws -> GatewayProcess {
        try GatewayProcess(in: Setting.workspace(forms: Self.forms), settings.flatMap { ["--set", $0] })
    }

    @Test(arguments: [
        ("cloakroom.js", "text/javascript; charset=utf-8"), ("cloakroom.mjs", "text/javascript; charset=utf-8"),
        ("engine.mjs", "text/javascript; charset=utf-8"), ("engine.wasm", "application/wasm"),
        ("cloakroom.d.ts", "text/plain; charset=utf-8"), ("engine.d.ts", "text/plain; charset=utf-8"),
        ("integrity.json", "application/json"),
    ])
    func aFileForPages(_ name: String, type: String) throws {
        let gateway = try gateway()
        let file = try gateway.request("GET", "/elements/v1/\(name)")
        #expect(file.status == 200 && file["Content-Type"] == type && !file.body.isEmpty)
        #expect(file["Cache-Control"] == "no-cache" && file["Vary"] == "Accept-Encoding")
        #expect(file["Access-Control-Allow-Origin"] == "*" && file["Cross-Origin-Resource-Policy"] == "cross-origin")
        #expect(file["X-Content-Type-Options"] == "nosniff" && file["Set-Cookie"] == nil)
        let head = try gateway.request("HEAD", "/elements/v1/\(name)")
        #expect(head.status == 200 && head.body.isEmpty && head["ETag"] == file["ETag"])
        let tag = try #require(file["ETag"])
        let same = try gateway.request("GET", "/elements/v1/\(name)", ["If-None-Match": tag])
        #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
        // The path of the build, where the file never changes.
        let lasting = try #require(file["Content-Location"])
        #expect(lasting.wholeMatch(of: /\/elements\/[0-9a-f]{16}\/(.*)/)?.output.1 == name[...])
        let kept = try gateway.request("GET", lasting)
        #expect(kept.status == 200 && kept.body == file.body && kept["Content-Location"] == nil)
        #expect(kept["Cache-Control"] == "public, max-age=31536000, immutable" && kept["ETag"] == tag)
        let other = lasting.replacing(/[0-9a-f]{16}/) { String($0.output.reversed()) }
        #expect(try gateway.request("GET", other).status == 404)
    }

    @Test func compressedWhereItIsAccepted() throws {
        let gateway = try gateway()
        let path = "/elements/v1/engine.wasm"
        let plain = try gateway.request("GET", path)
        #expect(plain.body.starts(with: [0, 0x61, 0x73, 0x6D]))
        for accepted in ["gzip", "br, GZIP;q=0.5", "*"] {
            let file = try gateway.request("GET", path, ["Accept-Encoding": accepted])
            // RFC 1952 section 2.3.1; docs/reference/browser.md section 6.
            #expect(file["Content-Encoding"] == "gzip" && file.body.starts(with: [0x1F, 0x8B]))
            #expect(file.body.count <= 160_000 && file["ETag"] != plain["ETag"])
        }
        for refused in ["br", "gzip;q=0", "gzip;q=0.000", "identity", "*;q=0"] {
            let file = try gateway.request("GET", path, ["Accept-Encoding": refused])
            #expect(file["Content-Encoding"] == nil && file.body == plain.body)
        }
    }

    @Test func scriptsFrameAndStyleAreSmall() throws {
        let gateway = try gateway()
        var size = 0
        for name in ["cloakroom.js", "cloakroom.mjs", "frame.html", "frame.js", "frame.css"] {
            size += try gateway.request("GET", "/elements/v1/\(name)", ["Accept-Encoding": "gzip"]).body.count
        }
        #expect(size <= 24_000)
    }

    @Test(arguments: [
        ("shop", "frame-ancestors https://shop.example https://other.example:8443;"),
        ("own", "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* "),
        ("own", " http://*.localhost:* https://*.localhost:*;"),
        ("nowhere", "frame-ancestors 'self' http://localhost:*"),
    ])
    func thoseMayEmbedTheFrameThatItsFormAllows(_ form: String, ancestors: String) throws {
        let gateway = try gateway()
        let frame = try gateway.request("GET", "/elements/v1/frame.html?form=\(form)")
        let policy = try #require(frame["Content-Security-Policy"])
        #expect(policy.contains(ancestors), "\(policy)")
        for part in [
            "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
        ] { #expect(policy.contains(part + ";"), "\(policy)") }
        #expect(!policy.contains("unsafe-inline") && !policy.contains(" 'unsafe-eval'"))
        #expect(frame["Referrer-Policy"] == "no-referrer" && frame["X-Content-Type-Options"] == "nosniff")
        #expect(frame["Permissions-Policy"]?.contains("camera=()") == true)
        #expect(frame["Cross-Origin-Embedder-Policy"] == "require-corp")
        #expect(frame["Access-Control-Allow-Origin"] == nil)
        // No inline code.
        #expect(frame.bodyText.contains(#"<script async type="module" src="frame.js"></script>"#))
        #expect(!frame.bodyText.contains("<style"))
        // Two forms never share what a cache has of one.
        let other = try gateway.request("GET", "/elements/v1/frame.html?form=\(form == "shop" ? "own" : "shop")")
        #expect(other["ETag"] != frame["ETag"])
    }

    /// A browser reads a form in each of these; in development, too, no page may embed what it makes of them.
    @Test(arguments: ["form=shop&form=own", "form=shop&form=shop", "form=shop&x=%ff"])
    func aFrameOfAnOddQueryIsForNoPage(_ query: String) throws {
        let frame = try gateway().request("GET", "/elements/v1/frame.html?\(query)")
        #expect(frame["Content-Security-Policy"]?.contains("frame-ancestors 'self';") == true)
    }

    @Test func whatIsNotThere() throws {
        let gateway = try gateway()
        for path in [
            "", "/", "/v1", "/v1/", "/v2/cloakroom.js", "/v1/nothing.js", "/v1/cloakroom.js/x", "/v1/..%2Fcloakroom.js",
        ] {
            let message = try gateway.request("GET", "/elements" + path)
            #expect(message.status == 404, "\(path)")
        }
        let refused = try gateway.request("POST", "/elements/v1/cloakroom.js")
        #expect(refused.status == 405 && refused["Allow"] == "GET, HEAD, OPTIONS")
        let off = try self.gateway("elements.enabled=false")
        for name in ["cloakroom.js", "frame.html?form=own", "engine.wasm", "integrity.json"] {
            #expect(try off.request("GET", "/elements/v1/\(name)").status == 404)
        }
    }

    @Test func integrityNamesWhatPagesLoad() throws {
        let gateway = try gateway()
        let list = try gateway.request("GET", "/elements/v1/integrity.json").json()
        for name in ["cloakroom.js", "cloakroom.mjs", "engine.mjs", "engine.wasm"] {
            #expect(list.object?[name]?.string?.hasPrefix("sha384-") == true, "\(name)")
        }
        // Whatever it names is there.
        for name in ["demo.js", "docs.js"] { #expect(list.object?[name] == nil, "\(name)") }
        for member in try #require(list.object).members {
            #expect(try gateway.request("GET", "/elements/v1/\(member.key)").status == 200, "\(member.key)")
        }
    }

    @Test func theDemoIsForTheSandboxOnLoopback() throws {
        let gateway = try gateway()
        let page = try gateway.request("GET", "/demo")
        #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(try gateway.request("GET", "/demo/demo.js").status == 200)
        for path in ["/demo/frame.html", "/demo/nothing", "/elements/v1/demo.html", "/demo/demo.js/x"] {
            #expect(try gateway.request("GET", path).status == 404, "\(path)")
        }
        let off = try self.gateway("elements.enabled=false")
        #expect(try off.request("GET", "/demo").status == 404)
    }

    /// Tests/Browser/browser.py says what. In two browsers: in one it would be the last of all tests to end.
    @Test(arguments: ["1/2", "2/2"]) func inChromium(share: String) throws {
        let command = try Command(
            "\(Place.project)/.build/python/bin/python3",
            ["\(Place.project)/Tests/Browser/browser.py", "--binary", Place.binary, "--share", share],
            in: Workspace())
        #expect(command.end == .exit(0), "\(command.output)\n\(command.errors)")
    }
}
