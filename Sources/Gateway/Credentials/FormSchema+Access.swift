import Access
import FormSchema

extension FormSchema.Access {
    /// Who may carry out an operation.
    subscript(_ operation: FormOperation) -> FormAccess {
        let caller =
            switch operation {
            case .validate: validate
            case .aliases: aliases
            case .tokens: tokens
            case .send: send
            }
        return switch caller {
        case .public: .public
        case .session: .session
        case .credential: .credential
        }
    }
}

extension FormSchema {
    /// Who may carry out each operation that the form has.
    var accessOfOperations: [FormOperation: FormAccess] {
        var access: [FormOperation: FormAccess] = [:]
        for operation in FormOperation.allCases where operation != .send || route != nil {
            access[operation] = self.access[operation]
        }
        return access
    }
}
