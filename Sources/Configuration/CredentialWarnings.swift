import Access
import FormSchema

extension Configuration {
    /// Names that credentials are limited to and that nothing has: probably misspelt, so that the credential can do less than is meant.
    ///
    /// - Parameter file: where the credentials stand.
    func warningsOfCredentials(in file: String?) -> [Mistake] {
        let formNames = formFiles.map(\.form.form)
        let routeNames = routes.filter { $0.kind == .reveal }.map(\.name)
        return credentials.enumerated().flatMap { index, credential in
            let path = "credentials[\(index)]"
            return Self.unmatched(credential.forms, formNames).map {
                Mistake(file: file, line: nil, path: "\(path).forms", message: "no form is called \(quoted($0))")
            }
                + Self.unmatched(credential.routes, routeNames).map {
                    Mistake(
                        file: file, line: nil, path: "\(path).routes",
                        message: "no reveal route is called \(quoted($0))")
                }
        }
    }

    private static func unmatched(_ set: NameSet, _ names: [String]) -> [String] {
        guard case .matching(let patterns) = set else { return [] }
        return patterns.filter { pattern in !names.contains { pattern.matches($0) } }.map(\.description)
    }
}
