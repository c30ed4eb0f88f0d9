import CLibevent
import COpenSSL

/// Versions of the C libraries that this module links.
public enum LibraryVersions {
    /// As libevent writes it.
    public static var libevent: String { String(cString: event_get_version()) }

    /// Such as `3.0.15`, without the name and date that OpenSSL writes around it.
    public static var openSSL: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }
}
