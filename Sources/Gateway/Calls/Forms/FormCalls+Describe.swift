import FormSchema
import HTTPWire

extension FormCalls {
    /// `GET /v1/forms`: all forms, in short.
    func list(_ call: Call, _ table: FormTable) throws(CallError) -> CallResponse {
        if let options = try call.optionsResponse() { return options }
        return .json(200, table.summary)
    }

    /// `GET /v1/forms/{form}`: what a client needs to draw the form. It changes only with the configuration, so clients may
    /// revalidate it by its entity tag.
    func describe(_ call: Call, _ form: HostedForm) -> CallResponse {
        let tag = ("ETag", form.entityTag)
        let version = (Call.versionHeader, form.version)
        let cache = ("Cache-Control", "no-cache")
        if EntityTag.isListed(form.entityTag, in: call.head.all("If-None-Match")) {
            return CallResponse(status: 304, headers: [tag, version, cache])
        }
        let headers = [
            ("Content-Type", "application/json"), tag, version, cache, ("X-Content-Type-Options", "nosniff"),
        ]
        return CallResponse(status: 200, headers: headers, body: form.description)
    }

    /// Refuses a submission whose `Cloakroom-Form-Version` is not the form's present one: its texts may mean something else now, such as a
    /// date whose day and month changed places. Without the header nothing is checked.
    func requireCurrent(_ call: Call, _ form: HostedForm) throws(CallError) {
        if let version = call.head[Call.versionHeader], version != form.version { throw .formChanged }
    }
}
