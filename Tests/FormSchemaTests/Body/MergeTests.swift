import JSON
import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 11: fields merged into `extraData` under the four policies.
@Suite struct MergeTests {
    /// Fields are written `name=value`; a body in which a policy gives the same as the one before it is written `"`.
    @Test(
        arguments: table(
            """
            extra | fields | merge | overwrite
            `{"t":["p","q","r"]}` | t[0]=v | `{"t":["p","q","r","v"]}` | `{"t":["v"]}`
            `{"t":[{"sku":7},{"sku":8}]}` | t[1].pan=v | `{"t":[{"sku":7},{"sku":8,"pan":"v"}]}` | `{"t":[null,{"pan":"v"}]}`
            `{"t":["p"]}` | t[3]=v | `{"t":["p",null,null,"v"]}` | `{"t":[null,null,null,"v"]}`
            `{"t":["p","q"]}` | t[0].n=v | `{"t":[{"n":"v"},"q"]}` | `{"t":[{"n":"v"}]}`
            `{"t":["p"]}` | t[0]=v t[2]=w | `{"t":["p","v","w"]}` | `{"t":["v",null,"w"]}`
            `{"t":{"k":1}}` | t[0]=v | `{"t":["v"]}` | `{"t":["v"]}`
            `{"t":[]}` | t[1]=v | `{"t":[null,"v"]}` | `{"t":[null,"v"]}`
            `{"t":[]}` | t[0].n=v | `{"t":[{"n":"v"}]}` | `{"t":[{"n":"v"}]}`
            `{"t":["p","q"]}` | t[1]=v | `{"t":["p","q","v"]}` | `{"t":[null,"v"]}`
            `{"t":["p"]}` | t[1]=v | `{"t":["p","v"]}` | `{"t":[null,"v"]}`
            `{"t":["p"]}` | t[0]=v t[1].n=w | `{"t":["p","v",{"n":"w"}]}` | `{"t":["v",{"n":"w"}]}`
            `{"t":["p",{"a":1}]}` | t[0]=v t[1].n=w | `{"t":["p",{"a":1,"n":"w"},"v"]}` | `{"t":["v",{"n":"w"}]}`
            `{"t":["p"]}` | t[2].n=w | `{"t":["p",null,{"n":"w"}]}` | `{"t":[null,null,{"n":"w"}]}`
            `{"t":[{"l":["x"]}]}` | t[0].l[0]=v | `{"t":[{"l":["x","v"]}]}` | `{"t":[{"l":["v"]}]}`
            `{"t":[["x"]]}` | t[0].0=v | `{"t":[["x"],["v"]]}` | `{"t":[["v"]]}`
            `{"t":[["x"]]}` | t[0].n=v | `{"t":[{"n":"v"}]}` | `{"t":[{"n":"v"}]}`
            `{"t":[null]}` | t[0].n=v | `{"t":[{"n":"v"}]}` | `{"t":[{"n":"v"}]}`
            `{"t":[null]}` | t[0]=v | `{"t":[null,"v"]}` | `{"t":["v"]}`
            `{"t":"s"}` | t[0]=v | `{"t":["v"]}` | `{"t":["v"]}`
            `{"t":null}` | t[0]=v | `{"t":["v"]}` | `{"t":["v"]}`
            `{"t":{"k":1}}` | t=v | `{"t":"v"}` | `{"t":"v"}`
            `{"t":["p",{"k":1}]}` | t[1]=v | `{"t":["p",{"k":1},"v"]}` | `{"t":[null,"v"]}`
            `{"t":["p"]}` | t=v | `{"t":"v"}` | `{"t":"v"}`
            `{"t":["p"]}` | t.n=v | `{"t":{"n":"v"}}` | `{"t":{"n":"v"}}`
            `{"t":{"n":1,"m":2}}` | t.n=v | `{"t":{"n":"v","m":2}}` | `{"t":{"n":"v","m":2}}`
            `{"t":{"n":{"a":1}},"u":3}` | t.n.b=v | `{"t":{"n":{"a":1,"b":"v"}},"u":3}` | `{"t":{"n":{"a":1,"b":"v"}},"u":3}`
            `{"t":{"n":{"a":1}}}` | t.n=v | `{"t":{"n":"v"}}` | `{"t":{"n":"v"}}`
            `{"t":{"n":"s"}}` | t.n.b=v | `{"t":{"n":{"b":"v"}}}` | `{"t":{"n":{"b":"v"}}}`
            `{"t.n":1}` | t.n=v | `{"t.n":1,"t":{"n":"v"}}` | `{"t.n":1,"t":{"n":"v"}}`
            `{"b":1,"a":2}` | c=v a=w | `{"b":1,"a":"w","c":"v"}` | `{"b":1,"a":"w","c":"v"}`
            `{}` | t[2]=v t[0]=w | `{"t":["w",null,"v"]}` | `{"t":["w",null,"v"]}`
            `{}` | b=1 a=2 | `{"b":"1","a":"2"}` | `{"b":"1","a":"2"}`
            """))
    func arrays(_ row: Row) throws {
        #expect(try body(row, "nestedJSONWithArrayMerge") == row["merge"])
        #expect(try body(row, "nestedJSONWithArrayOverwrite") == row["overwrite"])
        for policy in MappingPolicy.allCases { try expectPlaceholdersAreTexts(row, policy.rawValue) }
    }

    @Test(
        arguments: table(
            """
            extra | fields | nested | flat
            `{"a":{"x":1},"z":[1]}` | a.b=v | `{"a":{"x":1,"b":"v"},"z":[1]}` | `{"a":{"x":1},"z":[1],"a.b":"v"}`
            `{"a.b":1,"c":2}` | a.b=v | `{"a.b":1,"c":2,"a":{"b":"v"}}` | `{"a.b":"v","c":2}`
            `{"a":{"b":{"c":1}}}` | a.b.d=v | `{"a":{"b":{"c":1,"d":"v"}}}` | `{"a":{"b":{"c":1}},"a.b.d":"v"}`
            `{"a":[{"b":1}]}` | a.b=v | `{"a":{"b":"v"}}` | `{"a":[{"b":1}],"a.b":"v"}`
            `{"a":{"b":1}}` | a=v | `{"a":"v"}` | `{"a":"v"}`
            `{"a[0]":{"c":1}}` | a[0].b=v | `{"a[0]":{"c":1,"b":"v"}}` | `{"a[0]":{"c":1},"a[0].b":"v"}`
            `{"a":{"n":1.50,"m":1e400}}` | a.b=v | `{"a":{"n":1.50,"m":1e400,"b":"v"}}` | `{"a":{"n":1.50,"m":1e400},"a.b":"v"}`
            `{"é":1}` | e\u{301}=v | `{"é":1,"e\u{301}":"v"}` | `{"é":1,"e\u{301}":"v"}`
            """))
    func objects(_ row: Row) throws {
        #expect(Array(try body(row, "nestedJSON").utf8) == Array(row["nested"].utf8))
        #expect(Array(try body(row, "flatJSON").utf8) == Array(row["flat"].utf8))
        for policy in MappingPolicy.allCases { try expectPlaceholdersAreTexts(row, policy.rawValue) }
    }

    /// What stands for a text that is not shown takes the place that the text would take, though it is an object.
    private func expectPlaceholdersAreTexts(_ row: Row, _ policy: String) throws {
        for (member, placeholder) in [("", #"{"withheld":"NAME"}"#), (",'tokenization':{}", #"{"alias":"UUID"}"#)] {
            let evaluation = try evaluate(row, policy, member: member)
            var expected = evaluation.raw
            for pair in pairs(row) {
                expected.replace("\"\(pair.text)\"", with: placeholder.replacing("NAME", with: pair.name))
            }
            let report = written {
                $0.beginObject()
                evaluation.writeOutgoing(to: .vgs, reveals: false, into: &$0)
                $0.endObject()
            }
            #expect(report.hasPrefix("{\"payload\":\(expected),\"aliasRequest\""), "\(policy): \(report)")
        }
    }

    private func pairs(_ row: Row) -> [(name: String, text: String)] {
        row.list("fields").map { $0.split(separator: "=").map(String.init) }.map { ($0[0], $0[1]) }
    }

    private func body(_ row: Row, _ policy: String) throws -> String { try evaluate(row, policy).raw }

    /// - Parameter member: more members of each field.
    private func evaluate(_ row: Row, _ policy: String, member: String = "") throws -> Evaluation {
        let specs = pairs(row).map { "{'name':'\($0.name)'\(member)}" }.joined(separator: ",")
        let form = try TestForm(specs, top: "'fieldNameMappingPolicy':'\(policy)',")
        let fields = pairs(row).map { "'\($0.name)':'\($0.text)'" }.joined(separator: ",")
        return try form.evaluate("{\(fields)}", extraData: row["extra"])
    }
}
