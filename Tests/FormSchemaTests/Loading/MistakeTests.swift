import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 1, "Configuration errors", and `docs/reference/elements.md`: every kind, with its key path.
@Suite struct MistakeTests {
    /// One field.
    @Test(
        arguments: table(
            #"""
            field | path
            `'name':'a','formatPatern':'##'` | fields[0].formatPatern
            `'name':'a','Type':'ssn'` | fields[0].Type
            `'type':'none'` | fields[0].name
            `'name':''` | fields[0].name
            `'name':'.'` | fields[0].name
            `'name':'...'` | fields[0].name
            `'name':1` | fields[0].name
            `'name':null` | fields[0].name
            `'name':['a']` | fields[0].name
            `'name':'a','type':'pan'` | fields[0].type
            `'name':'a','type':'CardNumber'` | fields[0].type
            `'name':'a','type':1` | fields[0].type
            `'name':'a','isRequired':'true'` | fields[0].isRequired
            `'name':'a','isRequiredValidOnly':1` | fields[0].isRequiredValidOnly
            `'name':'a','isValidIfPresent':null` | fields[0].isValidIfPresent
            `'name':'a','formatPattern':12` | fields[0].formatPattern
            `'name':'a','divider':true` | fields[0].divider
            `'name':'a','maxInputLength':'10'` | fields[0].maxInputLength
            `'name':'a','maxInputLength':-1` | fields[0].maxInputLength
            `'name':'a','maxInputLength':1.5` | fields[0].maxInputLength
            `'name':'a','maxInputLength':99999999999999999999` | fields[0].maxInputLength
            `'name':'a','maxInputLength':[]` | fields[0].maxInputLength
            `'name':'a','type':'file','formatPattern':'#'` | fields[0].formatPattern
            `'name':'a','type':'file','divider':'-'` | fields[0].divider
            `'name':'a','type':'file','maxInputLength':1` | fields[0].maxInputLength
            `'name':'a','type':'file','validationRules':[]` | fields[0].validationRules
            `'name':'a','type':'file','tokenization':{}` | fields[0].tokenization
            `'name':'a','type':'file','mask':'#'` | fields[0].mask
            `'name':'a','type':'file','inputDateFormat':'longYear'` | fields[0].inputDateFormat
            `'name':'a','file':{}` | fields[0].file
            `'name':'a','type':'ssn','file':{}` | fields[0].file
            `'name':'a','type':'file','file':{'maxBytes':0}` | fields[0].file.maxBytes
            `'name':'a','type':'file','file':{'maxBytes':'1'}` | fields[0].file.maxBytes
            `'name':'a','type':'file','file':{'contentTypes':['image/bmp']}` | fields[0].file.contentTypes[0]
            `'name':'a','type':'file','file':{'contentTypes':'image/png'}` | fields[0].file.contentTypes
            `'name':'a','type':'file','file':{'size':1}` | fields[0].file.size
            `'name':'a','type':'file','file':true` | fields[0].file
            `'name':'a','type':'cardNumber','mask':'#'` | fields[0].mask
            `'name':'a','type':'expDate','mask':'#'` | fields[0].mask
            `'name':'a','type':'date','transform':{'case':'upper'}` | fields[0].transform
            `'name':'a','type':'cvc','validation':'x'` | fields[0].validation
            `'name':'a','mask':'#','formatPattern':'#'` | fields[0].formatPattern
            `'name':'a','mask':'#','divider':'-'` | fields[0].divider
            `'name':'a','type':'ssn','transform':{'case':'upper'},'formatPattern':'#'` | fields[0].formatPattern
            `'name':'a','validation':'x','divider':''` | fields[0].divider
            `'name':'a','mask':''` | fields[0].mask
            `'name':'a','mask':[]` | fields[0].mask
            `'name':'a','mask':1` | fields[0].mask
            `'name':'a','mask':{'pattern':'x'}` | fields[0].mask
            `'name':'a','mask':['ab']` | fields[0].mask[0]
            `'name':'a','mask':['a','']` | fields[0].mask[1]
            `'name':'a','mask':[1]` | fields[0].mask[0]
            `'name':'a','mask':[['a']]` | fields[0].mask[0]
            `'name':'a','mask':[{}]` | fields[0].mask[0].pattern
            `'name':'a','mask':[{'pattern':'['}]` | fields[0].mask[0].pattern
            `'name':'a','mask':[{'pattern':'a','case':'title'}]` | fields[0].mask[0].case
            `'name':'a','mask':[{'pattern':'a','upper':true}]` | fields[0].mask[0].upper
            `'name':'a','transform':'x'` | fields[0].transform
            `'name':'a','transform':{}` | fields[0].transform
            `'name':'a','transform':[{}]` | fields[0].transform[0]
            `'name':'a','transform':{'matcher':'('}` | fields[0].transform.matcher
            `'name':'a','transform':{'matcher':'a','replacement':'$1'}` | fields[0].transform.replacement
            `'name':'a','transform':[{'matcher':'(a)','replacement':'$2'}]` | fields[0].transform[0].replacement
            `'name':'a','transform':{'matcher':'a','replacement':1}` | fields[0].transform.replacement
            `'name':'a','transform':{'case':'UPPER'}` | fields[0].transform.case
            `'name':'a','transform':{'match':'a','case':'upper'}` | fields[0].transform.match
            `'name':'a','validation':'('` | fields[0].validation
            `'name':'a','validation':'a{2,1}'` | fields[0].validation
            `'name':'a','validation':'\\p{Nonsense}'` | fields[0].validation
            `'name':'a','validation':['x']` | fields[0].validation
            `'name':'a','validationRules':{}` | fields[0].validationRules
            `'name':'a','validationRules':['luhnCheck']` | fields[0].validationRules[0]
            `'name':'a','validationRules':[{}]` | fields[0].validationRules[0].rule
            `'name':'a','validationRules':[{'rule':'luhn'}]` | fields[0].validationRules[0].rule
            `'name':'a','validationRules':[{'rule':1}]` | fields[0].validationRules[0].rule
            `'name':'a','validationRules':[{'rule':'luhnCheck','min':1}]` | fields[0].validationRules[0].min
            `'name':'a','validationRules':[{'rule':'luhnCheck','error':1}]` | fields[0].validationRules[0].error
            `'name':'a','validationRules':[{'rule':'pattern'}]` | fields[0].validationRules[0].pattern
            `'name':'a','validationRules':[{'rule':'email'},{'rule':'pattern','pattern':'['}]` | fields[0].validationRules[1].pattern
            `'name':'a','validationRules':[{'rule':'length','min':'1'}]` | fields[0].validationRules[0].min
            `'name':'a','validationRules':[{'rule':'length','max':-1}]` | fields[0].validationRules[0].max
            `'name':'a','validationRules':[{'rule':'lengthMatch'}]` | fields[0].validationRules[0].lengths
            `'name':'a','validationRules':[{'rule':'lengthMatch','lengths':3}]` | fields[0].validationRules[0].lengths
            `'name':'a','validationRules':[{'rule':'lengthMatch','lengths':['3']}]` | fields[0].validationRules[0].lengths[0]
            `'name':'a','validationRules':[{'rule':'paymentCard','validateUnknownCardBrand':'yes'}]` | fields[0].validationRules[0].validateUnknownCardBrand
            `'name':'a','validationRules':[{'rule':'cardExpirationDate','dateFormat':'mmddyyyy'}]` | fields[0].validationRules[0].dateFormat
            `'name':'a','validationRules':[{'rule':'dateRange','dateFormat':'longYear'}]` | fields[0].validationRules[0].dateFormat
            `'name':'a','validationRules':[{'rule':'dateRange','start':'2020-02-30'}]` | fields[0].validationRules[0].start
            `'name':'a','validationRules':[{'rule':'dateRange','end':'20200101'}]` | fields[0].validationRules[0].end
            `'name':'a','validationRules':[{'rule':'dateRange','end':'2020/01/01'}]` | fields[0].validationRules[0].end
            `'name':'a','validationRules':[{'rule':'dateRange','start':20200101}]` | fields[0].validationRules[0].start
            `'name':'a','inputDateFormat':'longYear'` | fields[0].inputDateFormat
            `'name':'a','type':'ssn','outputDateFormat':'longYear'` | fields[0].outputDateFormat
            `'name':'a','type':'cvc','serializers':[]` | fields[0].serializers
            `'name':'a','type':'expDate','inputDateFormat':'mmddyyyy'` | fields[0].inputDateFormat
            `'name':'a','type':'date','inputDateFormat':'longYear'` | fields[0].inputDateFormat
            `'name':'a','type':'date','outputDateFormat':'yyyyddmm','inputDateFormat':'mmddyyyy'` | fields[0].outputDateFormat
            `'name':'a','type':'expDate','serializers':[{'date':{'day':'d','month':'m','year':'y'}}]` | fields[0].serializers[0].date
            `'name':'a','type':'date','serializers':[{'expDate':{'month':'m','year':'y'}}]` | fields[0].serializers[0].expDate
            `'name':'a','type':'expDate','serializers':{'expDate':{'month':'m','year':'y'}}` | fields[0].serializers
            `'name':'a','type':'expDate','serializers':[{'expDate':{'month':'m'}}]` | fields[0].serializers[0].expDate.year
            `'name':'a','type':'expDate','serializers':[{'expDate':{'month':'m','year':'y','day':'d'}}]` | fields[0].serializers[0].expDate.day
            `'name':'a','type':'expDate','serializers':[{'expDate':{'month':'','year':'y'}}]` | fields[0].serializers[0].expDate.month
            `'name':'a','type':'expDate','serializers':[{'expDate':{'month':1,'year':'y'}}]` | fields[0].serializers[0].expDate.month
            `'name':'a','type':'expDate','serializers':[{'exp':{}}]` | fields[0].serializers[0].exp
            `'name':'.','type':'expDate','serializers':[{'expDate':{'month':'m','year':'y'}}]` | fields[0].name
            `'name':'a','tokenization':true` | fields[0].tokenization
            `'name':'a','tokenization':null` | fields[0].tokenization
            `'name':'a','tokenization':{'format':'uuid'}` | fields[0].tokenization.format
            `'name':'a','tokenization':{'storage':'DISK'}` | fields[0].tokenization.storage
            `'name':'a','tokenization':{'ttl':180}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'180'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'d'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':''}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'0d'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'-1d'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'1.5d'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'180 d'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'180D'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'36501d'}` | fields[0].tokenization.ttl
            `'name':'a','tokenization':{'ttl':'99999999999999999999d'}` | fields[0].tokenization.ttl
            `'name':'a','type':'file','tokenization':{'ttl':'1d'}` | fields[0].tokenization
            `'name':'a','validationRules':[{'rule':'pattern','pattern':'x','isServerOnly':true}]` | fields[0].validationRules[0].isServerOnly
            `'name':'a','validationRules':[{'rule':'iban','pattern':'x'}]` | fields[0].validationRules[0].pattern
            `'name':'a','validationRules':[{'rule':'IBAN'}]` | fields[0].validationRules[0].rule
            `'name':'a','tokenization':{'classifiers':'pii'}` | fields[0].tokenization.classifiers
            `'name':'a','tokenization':{'classifiers':[1]}` | fields[0].tokenization.classifiers[0]
            `'name':'a','tokenization':{'classifiers':['a','']}` | fields[0].tokenization.classifiers[1]
            `'name':'a','tokenization':{'vault':'x'}` | fields[0].tokenization.vault
            `'name':'a','type':'cvc','tokenization':{'storage':'PERSISTENT'}` | fields[0].tokenization.storage
            `'name':'a','type':'cardNumber','tokenization':{'storage':'VOLATILE'}` | fields[0].tokenization.storage
            `'name':'a','type':'expDate','tokenization':{'storage':'VOLATILE'}` | fields[0].tokenization.storage
            `'name':'a','type':'ssn','tokenization':{'storage':'VOLATILE'}` | fields[0].tokenization.storage
            """#))
    func field(_ row: Row) throws {
        let (schema, log) = try TestForm.load("{'form':'f','fields':[{\(row["field"])}]}")
        #expect(schema == nil)
        #expect(Set(log.mistakes.map(\.path)).contains(row["path"]), "\(log.mistakes)")
        #expect(log.mistakes.allSatisfy { $0.description.hasPrefix("form.yaml: ") })
    }

    /// The form around its fields; `…` stands for a good list of them.
    @Test(
        arguments: table(
            """
            form | path
            `…` | form
            `'form':'',…` | form
            `'form':'a b',…` | form
            `'form':'ä',…` | form
            `'form':7,…` | form
            `'form':'f'` | fields
            `'form':'f','fields':[]` | fields
            `'form':'f','fields':{}` | fields
            `'form':'f','fields':['a']` | fields[0]
            `'form':'f','field':[],…` | field
            `'form':'f','title':5,…` | title
            `'form':'f','timeZone':'Mars/Base',…` | timeZone
            `'form':'f','timeZone':null,…` | timeZone
            `'form':'f','fieldNameMappingPolicy':'nested',…` | fieldNameMappingPolicy
            `'form':'f','route':'nowhere',…` | route
            `'form':'f','route':'acquirer',…` | route
            `'form':'f','route':1,…` | route
            `'form':'f','access':{'validate':'anyone'},…` | access.validate
            `'form':'f','access':{'read':'public'},…` | access.read
            `'form':'f','access':{'validate':'Session'},…` | access.validate
            `'form':'f','clientRules':'false',…` | clientRules
            `'form':'f','allowedOrigins':['shop.example'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example/'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example?x'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://Shop.example'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:443'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['http://shop.example:80'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://*.shop.example'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['null'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:0'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:65536'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:99999'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:08443'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://shop.example:a'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://:8443'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['https://a:1:2'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['http://[::1]:0'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['http://[::1'],…` | allowedOrigins[0]
            `'form':'f','allowedOrigins':['http://::1'],…` | allowedOrigins[0]
            `'form':'f','guard':'refuse',…` | guard
            `'form':'f','guard':{'pan':'block'},…` | guard.pan
            `'form':'f','guard':{'pan':false},…` | guard.pan
            `'form':'f','guard':{'ssn':'mask'},…` | guard.ssn
            `'form':'f','access':'public',…` | access
            `'form':'f','lenientInput':'yes',…` | lenientInput
            `'form':'f','omitEmptyFields':0,…` | omitEmptyFields
            `'form':'f','cardBrands':[],…` | cardBrands
            `'form':'f','cardBrands':{'catalog':'vgs'},…` | cardBrands.catalog
            `'form':'f','cardBrands':{'catalogue':'VGS'},…` | cardBrands.catalogue
            `'form':'f','cardBrands':{'valid':['Visa']},…` | cardBrands.valid[0]
            `'form':'f','cardBrands':{'valid':['amex','americanExpress']},…` | cardBrands.valid[1]
            `'form':'f','cardBrands':{'catalogue':'basisTheory','valid':['amex']},…` | cardBrands.valid[0]
            `'form':'f','cardBrands':{'valid':['custom:x']},…` | cardBrands.valid[0]
            `'form':'f','cardBrands':{'valid':'visa'},…` | cardBrands.valid
            `'form':'f','cardBrands':{'valid':[1]},…` | cardBrands.valid[0]
            `'form':'f','cardBrands':{'unknown':{'prefixes':[]}},…` | cardBrands.unknown.prefixes
            `'form':'f','cardBrands':{'unknown':{'lengths':[0]}},…` | cardBrands.unknown.lengths[0]
            `'form':'f','cardBrands':{'unknown':{'lengths':[20]}},…` | cardBrands.unknown.lengths[0]
            `'form':'f','cardBrands':{'unknown':{'checksum':'mod10'}},…` | cardBrands.unknown.checksum
            """))
    func form(_ row: Row) throws {
        let text = "{" + row["form"].replacing("…", with: "'fields':[{'name':'a'}]") + "}"
        let (schema, log) = try TestForm.load(text)
        #expect(schema == nil)
        #expect(log.mistakes.map(\.path) == [row["path"]], "\(log.mistakes)")
    }

    /// Custom brands that make no sense.
    @Test(
        arguments: table(
            """
            brand | path
            `'prefixes':['1'],'lengths':[16]` | name
            `'name':'','prefixes':['1'],'lengths':[16]` | name
            `'name':'a','lengths':[16]` | prefixes
            `'name':'a','prefixes':['1']` | lengths
            `'name':'a','prefixes':[],'lengths':[16]` | prefixes
            `'name':'a','prefixes':['1'],'lengths':[]` | lengths
            `'name':'a','prefixes':[''],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['-'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['12-'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['-12'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['4099-4000'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['400-4099'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['1-2-3'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['4x'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['٤'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['40 - 41'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['12345678901234567890'],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['123456','1-2'],'lengths':[4,5]` | prefixes[0]
            `'name':'a','prefixes':['4','400000-499999'],'lengths':[5]` | prefixes[1]
            `'name':'a','prefixes':[4],'lengths':[16]` | prefixes[0]
            `'name':'a','prefixes':['4',4],'lengths':[16]` | prefixes[1]
            `'name':'a','prefixes':'4','lengths':[16]` | prefixes
            `'name':'a','prefixes':['4'],'lengths':[0]` | lengths[0]
            `'name':'a','prefixes':['4'],'lengths':[20]` | lengths[0]
            `'name':'a','prefixes':['4'],'lengths':['16']` | lengths[0]
            `'name':'a','prefixes':['4'],'lengths':16` | lengths
            `'name':'a','prefixes':['4'],'lengths':[16],'checksum':'mod10'` | checksum
            `'name':'a','prefixes':['4'],'lengths':[16],'cvcLengths':['3']` | cvcLengths[0]
            `'name':'a','prefixes':['4'],'lengths':[16],'cvcLengths':[]` | cvcLengths
            `'name':'a','prefixes':['4'],'lengths':[16],'formatPattern':4` | formatPattern
            `'name':'a','prefixes':['4'],'lengths':[16],'pattern':'#'` | pattern
            """))
    func customBrand(_ row: Row) throws {
        let brands = "'cardBrands':{'custom':[{\(row["brand"])}]}"
        let (schema, log) = try TestForm.load("{'form':'f',\(brands),'fields':[{'name':'a'}]}")
        #expect(schema == nil)
        #expect(log.mistakes.map(\.path) == ["cardBrands.custom[0].\(row["path"])"], "\(log.mistakes)")
    }

    @Test func twoBrandsOfOneName() throws {
        let brand = "{'name':'a','prefixes':['4'],'lengths':[16]}"
        let (_, log) = try TestForm.load(
            "{'form':'f','cardBrands':{'custom':[\(brand),\(brand)]},'fields':[{'name':'a'}]}")
        #expect(log.mistakes.map(\.path) == ["cardBrands.custom[1].name"])
    }

    @Test(
        arguments: table(
            """
            policy | name | loads
            nestedJSONWithArrayMerge | `a[999]` | yes
            nestedJSONWithArrayMerge | `a[1000]` | no
            nestedJSONWithArrayMerge | `a.1000` | no
            nestedJSONWithArrayMerge | `a[99999999999999999999]` | no
            nestedJSONWithArrayOverwrite | `a[1000].b` | no
            nestedJSON | `a[1000]` | yes
            flatJSON | `a[1000]` | yes
            nestedJSON | `a.1000` | yes
            """))
    func arrayIndex(_ row: Row) throws {
        let (schema, log) = try TestForm.load(
            "{'form':'f','fieldNameMappingPolicy':'\(row["policy"])','fields':[{'name':'\(row["name"])'}]}")
        #expect((schema != nil) == row.flag("loads"))
        #expect(log.mistakes.map(\.path) == (row.flag("loads") ? [] : ["fields[0].name"]))
    }

    /// As deep as a body can be read back, which a name of a million dots is not.
    @Test(arguments: [(60, true), (1000, false), (100_000, false)])
    func depthOfAName(_ depth: Int, _ loads: Bool) throws {
        let name = (0..<depth).map { _ in "a" }.joined(separator: ".")
        let (schema, log) = try TestForm.load("{'form':'f','fields':[{'name':'\(name)'}]}")
        #expect((schema != nil) == loads)
        #expect(log.mistakes.map(\.path) == (loads ? [] : ["fields[0].name"]))
    }

    /// What stands in one body depends on the policy: of one that there is not, nothing is said of paths.
    @Test(arguments: [("flatJson", 1), ("nestedJSON", 1), ("flatJSON", 0)])
    func anUnknownPolicyMakesNoConflicts(policy: String, mistakes: Int) throws {
        let (_, log) = try TestForm.load(
            "{'form':'f','fieldNameMappingPolicy':'\(policy)','fields':[{'name':'p'},{'name':'p.q'}]}")
        #expect(log.mistakes.count == mistakes)
        #expect(policy != "flatJson" || log.mistakes.first?.path == "fieldNameMappingPolicy")
        let (_, other) = try TestForm.load(
            "{'form':'f','fieldNameMappingPolicy':'flatJson','fields':[{'name':'a[1000]'},{'name':'a.b'}]}")
        #expect(other.mistakes.map(\.path) == ["fieldNameMappingPolicy"])
    }

    @Test func duplicateNames() throws {
        let (_, log) = try TestForm.load("{'form':'f','fields':[{'name':'a'},{'name':'b'},{'name':'a','type':'ssn'}]}")
        #expect(log.mistakes.map(\.path) == ["fields[2].name"])
        let serialized = """
            {'name':'a','type':'expDate','serializers':[{'expDate':{'month':'m','year':'y'}}]}
            """
        let (_, other) = try TestForm.load("{'form':'f','fields':[{'name':'a'},\(serialized)]}")
        #expect(other.mistakes.map(\.path) == ["fields[1].name"])
    }

    /// One mistake hides no other: neither a doubled name nor an unknown type keeps paths from being compared.
    @Test(
        arguments: table(
            """
            fields | paths
            `{'name':'a'},{'name':'a.b'},{'name':'a'}` | fields[1].name fields[2].name
            `{'name':'a.b'},{'name':'a'},{'name':'a'}` | fields[1].name fields[2].name
            `{'name':'a','type':'x'},{'name':'a.b'}` | fields[0].type fields[1].name
            `{'name':'a'},{'name':'a.b','type':'x'}` | fields[1].name fields[1].type
            `{'name':'a','type':'x'},{'name':'a'}` | fields[0].type fields[1].name
            `{'name':'a'},{'name':'e','type':'expDate','serializers':[{'expDate':{'month':'m','year':'a.y'}}]}` | fields[1].serializers[0].expDate.year
            `{'name':'a'},{'name':'e','type':'x','serializers':[{'expDate':{'month':'a','year':'y'}}]}` | fields[1].serializers[0].expDate.month fields[1].type
            `{'name':'e','type':'x','serializers':[{'expDate':{'month':'a','year':'y'}}]},{'name':'e.f'}` | fields[0].type
            `{'name':'e','type':'expDate','serializers':[{'expDate':{'month':'a','year':'a'}}]}` | fields[0].serializers[0].expDate.year
            `{'name':'e','type':'date','serializers':[{'date':{'day':'a','month':'b','year':'c'}},{'date':{'day':'d','month':'b.e','year':'f'}}]}` | fields[0].serializers[1].date.month
            """))
    func allConflictsAreFound(_ row: Row) throws {
        let (schema, log) = try TestForm.load("{'form':'f','fields':[\(row["fields"])]}")
        #expect(schema == nil)
        #expect(log.mistakes.map(\.path).sorted() == row.list("paths").sorted(), "\(log.mistakes)")
    }

    /// With an unknown type, as much is checked as can be wrong whatever the type is.
    @Test(
        arguments: table(
            """
            members | paths
            `'inputDateFormat':1` | inputDateFormat
            `'inputDateFormat':'shortyear'` | inputDateFormat
            `'outputDateFormat':'mdy'` | outputDateFormat
            `'inputDateFormat':'shortYear','outputDateFormat':'longYear'` | ``
            `'inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | ``
            `'serializers':{}` | serializers
            `'serializers':[]` | serializers
            `'serializers':[{}]` | serializers[0]
            `'serializers':[{'exp':{}}]` | serializers[0].exp serializers[0]
            `'serializers':[{'expDate':{'month':'m','year':'y'}},{'date':{'day':'d','month':'n','year':'z'}}]` | ``
            `'serializers':[{'expDate':{'month':1}}]` | serializers[0].expDate.month serializers[0].expDate.year
            `'serializers':[{'date':{'day':'.','month':'m','year':'y'}}]` | serializers[0].date.day
            `'file':5` | file
            `'file':{'maxBytes':0,'contentTypes':['image/bmp'],'size':1}` | file.maxBytes file.contentTypes[0] file.size
            `'file':{'maxBytes':5}` | ``
            """))
    func fieldOfAnUnknownType(_ row: Row) throws {
        let (_, log) = try TestForm.load("{'form':'f','fields':[{'name':'a','type':'x',\(row["members"])}]}")
        let paths = ["type"] + row.list("paths")
        #expect(log.mistakes.map(\.path).sorted() == paths.map { "fields[0].\($0)" }.sorted(), "\(log.mistakes)")
    }

    @Test(arguments: [(20, true), (21, false)])
    func moreAliasesThanTheVaultTakes(_ count: Int, _ loads: Bool) throws {
        let exp = """
            {'name':'e','type':'expDate','tokenization':{},'serializers':[{'expDate':{'month':'m','year':'y'}}]}
            """
        let others = (0..<count - 2).map { "{'name':'f\($0)','tokenization':{}}" }.joined(separator: ",")
        let (schema, log) = try TestForm.load("{'form':'f','fields':[\(exp),\(others),{'name':'x'}]}")
        #expect((schema != nil) == loads)
        #expect(log.mistakes.map(\.path) == (loads ? [] : ["fields"]))
    }

    /// A pattern whose steps cannot be counted would have no bound on long text.
    @Test(arguments: ["'validation':'P'", "'mask':[{'pattern':'P'}]", "'transform':{'matcher':'P'}"])
    func patternThatIsTooLargeToBeBounded(_ spec: String) throws {
        let large = spec.replacing("P", with: String(repeating: "a", count: 15_000))
        let (schema, log) = try TestForm.load("{'form':'f','fields':[{'name':'a',\(large)}]}")
        #expect(schema == nil)
        #expect(log.mistakes.count == 1)
        #expect(try TestForm("{'name':'a',\(spec.replacing("P", with: "a{15000}"))}").warnings.isEmpty)
    }

    @Test func noRouteWithoutAConfiguration() throws {
        let (schema, log) = try TestForm.load(
            "{'form':'f','route':'orders','fields':[{'name':'a'}]}", in: .context(routes: false))
        #expect(schema == nil)
        #expect(log.mistakes.map(\.path) == ["route"])
    }

    @Test func documentMustBeAMap() throws {
        for text in ["[]", "'f'", "null", "1"] {
            let (schema, log) = try TestForm.load(text)
            #expect(schema == nil)
            #expect(log.mistakes.count == 1)
        }
    }
}
