import Foundation
import ProcessTesting

/// The time of day of a gateway, set forward or back while it runs: a library that stands before `clock_gettime` adds what a file says.
/// Clocks that only run forward are left as they are.
final class ShiftedClock {
    private let file: String
    let environment: [String: String]

    init(in workspace: Workspace) throws {
        file = workspace.path(of: "shift")
        let (source, library) = (workspace.path(of: "clock.c"), workspace.path(of: "clock.so"))
        try workspace.write(Self.source, to: "clock.c")
        let compiler = try Command("/usr/bin/cc", ["-shared", "-fPIC", "-O1", "-o", library, source], in: workspace)
        guard compiler.end == .exit(0) else { throw Trouble("the clock cannot be compiled: \(compiler.errors)") }
        environment = ["LD_PRELOAD": library, "CLOCK_SHIFT": file]
        try set(seconds: 0)
    }

    func set(seconds: Int) throws {
        var seconds = Int64(seconds)
        let bytes = Data(bytes: &seconds, count: 8)
        let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ pwrite(descriptor, $0.baseAddress, 8, 0) }) == 8 else {
            throw Trouble("the clock cannot be set")
        }
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        static volatile int64_t *shift;
        __attribute__((constructor)) static void prepare(void) {
            int descriptor = open(getenv("CLOCK_SHIFT"), O_RDONLY);
            if (descriptor < 0) abort();
            shift = mmap(0, 8, PROT_READ, MAP_SHARED, descriptor, 0);
            close(descriptor);
        }
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int outcome = (int)syscall(SYS_clock_gettime, clock, time);
            if (shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += *shift;
            return outcome;
        }
        time_t time(time_t *out) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (out) *out = now.tv_sec;
            return now.tv_sec;
        }
        """
}
