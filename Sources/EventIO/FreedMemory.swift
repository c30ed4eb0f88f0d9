import CLibevent
import Glibc

/// The memory that the allocator keeps after it was freed.
public enum FreedMemory {
    /// Returns it to the system, on a thread of its own: it takes milliseconds. glibc does so by itself only at the end of its
    /// heaps, so that a burst of connections would leave the process as large as it ever was.
    public static func returnToSystem() {
        var thread = pthread_t()
        let outcome = pthread_create(
            &thread, nil,
            { _ in
                cloakroom_name_thread("trim")
                malloc_trim(0)
                return nil
            }, nil)
        if outcome == 0 { pthread_detach(thread) }
    }
}
