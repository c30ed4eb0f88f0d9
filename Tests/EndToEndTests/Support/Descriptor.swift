import Foundation
import Glibc

/// Descriptors must not reach processes started meanwhile, or what this process closes would stay open in those.
enum Descriptor {
    /// Held from the birth of a descriptor until it is marked, and while a process starts.
    static let lock = NSLock()

    static func keepFromChildren(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}
