import CLibevent
import Glibc
import Threads

/// The memory that the allocator keeps after it was freed. Left alone, glibc would keep the process as large as its largest burst
/// of connections ever made it.
public enum FreedMemory {
    /// Gives every buffer of at least 24 KiB pages of its own, which its release returns to the system at once. Smaller ones, such
    /// as the pieces of a streamed body, are needed often: for them the system calls would cost too much. Applies to the process;
    /// further calls change nothing.
    public static func useOwnPagesForLargeBuffers() { _ = mallopt(M_MMAP_THRESHOLD, 24 << 10) }

    /// Returns what smaller buffers have left, on a thread of its own: it takes milliseconds. Has no effect while the memory of the
    /// process is locked: the system does not take locked pages back in this way.
    public static func returnToSystem() {
        _ = Worker {
            cloakroom_name_thread("trim")
            malloc_trim(0)
        }
    }
}
