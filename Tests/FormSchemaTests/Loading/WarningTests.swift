import Testing

@testable import FormSchema

/// What is loaded, but probably not meant.
@Suite struct WarningTests {
    @Test(
        arguments: table(
            #"""
            top | field | paths
            `` | `'name':'a'` | ``
            `` | `'name':'a','type':'cardNumber','formatPattern':'####'` | fields[0].formatPattern
            `` | `'name':'a','formatPattern':'X-##'` | fields[0].formatPattern
            `` | `'name':'a','formatPattern':'(##)'` | ``
            `` | `'name':'a','type':'cvc','formatPattern':'1##'` | fields[0].formatPattern
            `` | `'name':'a','formatPattern':'é#'` | fields[0].formatPattern
            `` | `'name':'a','type':'expDate','outputDateFormat':'longYear'` | fields[0].outputDateFormat
            `` | `'name':'a','type':'date','outputDateFormat':'yyyymmdd'` | fields[0].outputDateFormat
            `` | `'name':'a','type':'date','inputDateFormat':'mmddyyyy','outputDateFormat':'yyyymmdd'` | ``
            `` | `'name':'a','mask':'+1###'` | fields[0].mask
            `` | `'name':'a','mask':'(###)'` | ``
            `` | `'name':'a','mask':['-',{'pattern':'[0-9-]'}]` | fields[0].mask
            `` | `'name':'a','mask':'##1'` | ``
            `` | `'name':'a','type':'cvc','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | fields[0].tokenization.format
            `` | `'name':'a','tokenization':{'format':'NUM_LENGTH_PRESERVING'}` | fields[0].tokenization.format
            `` | `'name':'a','type':'cvc','tokenization':{'format':'UUID'}` | ``
            `` | `'name':'a','type':'cvc'` | ``
            `` | `'name':'a','type':'cvc','tokenization':{'format':'FPE_T_FOUR'}` | fields[0].tokenization.format
            `` | `'name':'a','type':'expDate','tokenization':{'format':'FPE_T_FOUR'}` | fields[0].tokenization.format
            `` | `'name':'a','type':'cardNumber','tokenization':{'format':'FPE_SIX_T_FOUR'}` | ``
            `` | `'name':'a','tokenization':{'format':'FPE_SIX_T_FOUR'}` | ``
            `'cardBrands':{'custom':[{'name':'s','prefixes':['9100'],'lengths':[10],'cvcLengths':[12]}],'valid':['custom:s','amex']},` | `'name':'a','type':'cardNumber','tokenization':{}` | ``
            `'cardBrands':{'custom':[{'name':'s','prefixes':['9100'],'lengths':[10],'cvcLengths':[12]}],'valid':['custom:s']},` | `'name':'a','type':'cardNumber','tokenization':{}` | fields[0].tokenization
            `'cardBrands':{'custom':[{'name':'s','prefixes':['9100'],'lengths':[10],'cvcLengths':[12]}]},` | `'name':'c','type':'cardNumber'},{'name':'a','type':'cvc','tokenization':{'format':'FPE_T_FOUR'}` | ``
            `'cardBrands':{'custom':[{'name':'s','prefixes':['9100'],'lengths':[10],'cvcLengths':[12]}],'valid':['amex']},` | `'name':'c','type':'cardNumber'},{'name':'a','type':'cvc','tokenization':{'format':'FPE_T_FOUR'}` | fields[1].tokenization.format
            `'route':'orders',` | `'name':'a','type':'cvc'` | fields[0]
            `'route':'echo',` | `'name':'a','type':'cardNumber'` | fields[0]
            `'route':'vgs',` | `'name':'a','type':'cardNumber'` | ``
            `'route':'orders',` | `'name':'a','type':'ssn'` | ``
            `'route':'orders',` | `'name':'a','type':'cardNumber','tokenization':{}` | ``
            `'cardBrands':{'custom':[{'name':'b','prefixes':['9'],'lengths':[16],'formatPattern':'####'}]},` | `'name':'a'` | cardBrands.custom[0].formatPattern
            `'cardBrands':{'custom':[{'name':'b','prefixes':['9'],'lengths':[16],'formatPattern':'#### #### #### ####'}]},` | `'name':'a'` | ``
            `'cardBrands':{'custom':[{'name':'b','prefixes':['9'],'lengths':[12,19]}]},` | `'name':'a'` | ``
            `'cardBrands':{'unknown':{'formatPattern':'####'}},` | `'name':'a'` | cardBrands.unknown.formatPattern
            """#))
    func warns(_ row: Row) throws {
        let form = try TestForm("{\(row["field"])}", top: row["top"])
        #expect(form.warnings.map(\.path) == row.list("paths"))
    }

    @Test func narrowFormatTellsItsFigure() throws {
        let form = try TestForm("{'name':'a','type':'cvc','tokenization':{'format':'NUM_LENGTH_PRESERVING'}}")
        #expect(form.warnings.first?.message.contains("1,000") == true)
        #expect(form.warnings.first?.message.contains("10,000") == true)
    }
}
