import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 11: where a name stands in a body.
@Suite struct MappingPolicyTests {
    @Test(
        arguments: table(
            """
            name | flat | nested | arrays
            `a` | `{"a":v}` | `{"a":v}` | `{"a":v}`
            `a.b` | `{"a.b":v}` | `{"a":{"b":v}}` | `{"a":{"b":v}}`
            `a[0].b` | `{"a[0].b":v}` | `{"a[0]":{"b":v}}` | `{"a":[{"b":v}]}`
            `cards[1].pan` | `{"cards[1].pan":v}` | `{"cards[1]":{"pan":v}}` | `{"cards":[null,{"pan":v}]}`
            `m[3][7]` | `{"m[3][7]":v}` | `{"m[3][7]":v}` | `{"m":[null,null,null,v]}`
            `m[0]junk.k` | `{"m[0]junk.k":v}` | `{"m[0]junk":{"k":v}}` | `{"m":[{"k":v}]}`
            `m[` | `{"m[":v}` | `{"m[":v}` | `{"m":v}`
            `m[]` | `{"m[]":v}` | `{"m[]":v}` | `{"m":v}`
            `m[k]` | `{"m[k]":v}` | `{"m[k]":v}` | `{"m":v}`
            `m[-2]` | `{"m[-2]":v}` | `{"m[-2]":v}` | `{"m":v}`
            `m[ 0 ]` | `{"m[ 0 ]":v}` | `{"m[ 0 ]":v}` | `{"m":v}`
            `..p..q.` | `{"..p..q.":v}` | `{"p":{"q":v}}` | `{"p":{"q":v}}`
            `[2]` | `{"[2]":v}` | `{"[2]":v}` | `{"":[null,null,v]}`
            `p.1.q` | `{"p.1.q":v}` | `{"p":{"1":{"q":v}}}` | `{"p":[null,{"q":v}]}`
            `1` | `{"1":v}` | `{"1":v}` | `{"1":v}`
            `1.1` | `{"1.1":v}` | `{"1":{"1":v}}` | `{"1":[null,v]}`
            `p.01` | `{"p.01":v}` | `{"p":{"01":v}}` | `{"p":[null,v]}`
            `p.1a` | `{"p.1a":v}` | `{"p":{"1a":v}}` | `{"p":{"1a":v}}`
            `p.١` | `{"p.١":v}` | `{"p":{"١":v}}` | `{"p":{"١":v}}`
            `m[١]` | `{"m[١]":v}` | `{"m[١]":v}` | `{"m":v}`
            `m[k][2]` | `{"m[k][2]":v}` | `{"m[k][2]":v}` | `{"m":[null,null,v]}`
            `m[[1]` | `{"m[[1]":v}` | `{"m[[1]":v}` | `{"m":[null,v]}`
            `m[1` | `{"m[1":v}` | `{"m[1":v}` | `{"m":v}`
            `m]1[` | `{"m]1[":v}` | `{"m]1[":v}` | `{"m]1":v}`
            `m[1]0` | `{"m[1]0":v}` | `{"m[1]0":v}` | `{"m":[null,v]}`
            `a.[1]` | `{"a.[1]":v}` | `{"a":{"[1]":v}}` | `{"a":{"":[null,v]}}`
            `a[0].1` | `{"a[0].1":v}` | `{"a[0]":{"1":v}}` | `{"a":[[null,v]]}`
            `a.0.0` | `{"a.0.0":v}` | `{"a":{"0":{"0":v}}}` | `{"a":[[v]]}`
            `m[007]` | `{"m[007]":v}` | `{"m[007]":v}` | `{"m":[null,null,null,null,null,null,null,v]}`
            `é."x"` | `{"é.\\"x\\"":v}` | `{"é":{"\\"x\\"":v}}` | `{"é":{"\\"x\\"":v}}`
            ` a . b ` | `{" a . b ":v}` | `{" a ":{" b ":v}}` | `{" a ":{" b ":v}}`
            """))
    func places(_ row: Row) throws {
        let columns = [
            ("flatJSON", "flat"), ("nestedJSON", "nested"), ("nestedJSONWithArrayOverwrite", "arrays"),
            ("nestedJSONWithArrayMerge", "arrays"),
        ]
        for (policy, column) in columns {
            let name = row["name"].replacing("\"", with: "\\\"").replacing("\\\\", with: "\\")
            let form = try TestForm("{'name':'\(name)'}", top: "'fieldNameMappingPolicy':'\(policy)',")
            let evaluation = try form.evaluate(texts: KeyValuePairs(dictionaryLiteral: (row["name"], "v")))
            #expect(evaluation.raw.replacing("\"v\"", with: "v") == row[column], "\(policy)")
        }
    }

    @Test(
        arguments: table(
            """
            policy | names | conflict
            nestedJSON | a a.b | yes
            nestedJSON | a.b a | yes
            nestedJSON | a.b a..b | yes
            nestedJSON | a.b .a.b. | yes
            nestedJSON | a.b a.c | no
            nestedJSON | a.b.c a.b.d | no
            nestedJSON | a.b.c a.b | yes
            nestedJSON | a.b a[0] | no
            nestedJSON | a.0 a.b | no
            nestedJSON | a[0] a[1] | no
            nestedJSON | a[0] a[00] | no
            nestedJSON | é e\u{301} | no
            flatJSON | a a.b | no
            flatJSON | a.b a..b | no
            nestedJSONWithArrayMerge | a.b a[0] | yes
            nestedJSONWithArrayMerge | a[0] a.b | yes
            nestedJSONWithArrayMerge | a[0] a[1] | no
            nestedJSONWithArrayMerge | a[0] a[00] | yes
            nestedJSONWithArrayMerge | a[0] a.0 | yes
            nestedJSONWithArrayMerge | a[0].b a[0].c | no
            nestedJSONWithArrayMerge | a[0] a[0].c | yes
            nestedJSONWithArrayMerge | a[0].c a[0] | yes
            nestedJSONWithArrayMerge | a a[0] | yes
            nestedJSONWithArrayMerge | m m[k] | yes
            nestedJSONWithArrayMerge | m[ m[] | yes
            nestedJSONWithArrayMerge | m[1][2] m[1][3] | yes
            nestedJSONWithArrayMerge | m[0]junk m[0] | yes
            nestedJSONWithArrayMerge | a.b.0 a.b.c | yes
            nestedJSONWithArrayMerge | 0.a 0.b | no
            nestedJSONWithArrayMerge | 0 a | no
            nestedJSONWithArrayMerge | [0] [1] | no
            nestedJSONWithArrayOverwrite | a.b a[0] | yes
            nestedJSONWithArrayOverwrite | a[5] a[7].x | no
            """))
    func findsConflicts(_ row: Row) throws {
        let fields = row.list("names").map { "{'name':'\($0)'}" }.joined(separator: ",")
        let (schema, log) = try TestForm.load(
            "{'form':'f','fieldNameMappingPolicy':'\(row["policy"])','fields':[\(fields)]}")
        #expect((schema == nil) == row.flag("conflict"))
        #expect(log.mistakes.map(\.path) == (row.flag("conflict") ? ["fields[1].name"] : []))
    }

    /// Component names count, the own name of a serialized field does not.
    @Test(
        arguments: table(
            """
            other | month | year | conflict
            `x` | `m` | `y` | no
            `x` | `e` | `y` | no
            `x` | `e.m` | `e.y` | no
            `x` | `x` | `y` | yes
            `x` | `x.m` | `y` | yes
            `x.z` | `m` | `x` | yes
            `x` | `m` | `m` | yes
            `x` | `m` | `m.y` | yes
            `e.z` | `m` | `y` | no
            """))
    func componentNamesCount(_ row: Row) throws {
        let serializer = "{'expDate':{'month':'\(row["month"])','year':'\(row["year"])'}}"
        let (schema, log) = try TestForm.load(
            """
            {'form':'f','fields':[{'name':'\(row["other"])'},{'name':'e','type':'expDate','serializers':[\(serializer)]}]}
            """)
        #expect((schema == nil) == row.flag("conflict"))
        #expect(log.mistakes.allSatisfy { $0.path.hasPrefix("fields[1].serializers") })
    }
}
