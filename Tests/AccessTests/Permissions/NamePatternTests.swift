import Testing

@testable import Access

@Suite("Names and scopes")
struct NamePatternTests {
    @Test(arguments: [
        ("checkout", "checkout", true), ("checkout", "checkout2", false), ("checkout", "Checkout", false),
        ("shop-*", "shop-", true), ("shop-*", "shop-a", true), ("shop-*", "shop", false), ("*", "anything", true),
        ("caf\u{e9}", "cafe\u{301}", false), ("caf\u{e9}*", "cafe\u{301}", false),
    ])
    func matches(pattern: String, name: String, isMatch: Bool) throws {
        #expect(try #require(NamePattern(pattern)).matches(name) == isMatch)
        #expect(NamePattern(pattern)?.description == pattern)
        #expect(NameSet.matching([try #require(NamePattern(pattern))]).contains(name) == isMatch)
        #expect(NameSet.all.contains(name) && !NameSet.matching([]).contains(name))
    }

    @Test(arguments: ["", "a*b", "**", "*a", String(repeating: "a", count: 257)])
    func refuses(pattern: String) {
        #expect(NamePattern(pattern) == nil)
    }

    @Test func scopes() {
        #expect(ScopeSet(Scope.allCases) == .all)
        for scope in Scope.allCases {
            #expect(ScopeSet.all.contains(scope) && ScopeSet(scope).scopes == [scope])
        }
        #expect(ScopeSet(known: ["forms:send", "openid", "aliases:create"]).text == "aliases:create forms:send")
    }

    @Test func classifiers() {
        let permissions = Permissions(scopes: .all, classifiers: ["checkout", "billing"])
        #expect(permissions.reaches(classifiers: ["other", "billing"]))
        #expect(!permissions.reaches(classifiers: ["other"]) && !permissions.reaches(classifiers: []))
        #expect(Permissions(scopes: .all).reaches(classifiers: []))
    }
}
