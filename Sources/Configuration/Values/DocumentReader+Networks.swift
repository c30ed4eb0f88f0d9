import Access
import FormSchema

extension DocumentReader {
    /// A list of networks; a list that would allow nothing is a mistake.
    func networks() -> [Network] {
        guard let list = list() else { return [] }
        if list.isEmpty { mistake("name at least one network, or leave the key out") }
        return list.compactMap { element in
            guard let text = element.text() else { return nil }
            if let network = Network(text) { return network }
            if let around = Network(around: text), let length = text.split(separator: "/").last {
                element.mistake("has bits set behind the first \(length): the network is \(around.address)/\(length)")
            } else {
                element.mistake("not a network in CIDR form (such as 10.0.0.0/8, 2001:db8::/32 or 192.0.2.7)")
            }
            return nil
        }
    }
}
