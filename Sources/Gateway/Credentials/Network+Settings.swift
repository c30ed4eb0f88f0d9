import Access
import Configuration

extension [Network] {
    /// Networks as the loader has checked them.
    init(_ networks: [CIDRNetwork]) {
        self = networks.compactMap { Network($0.description) }
    }
}
