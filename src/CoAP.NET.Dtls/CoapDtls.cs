using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls;

/// <summary>
/// Whether <c>coaps</c> works here. Handshakes are made by OpenSSL, 3 or 1.1.1, of the system; it is looked for when an endpoint starts
/// that uses <c>coaps</c>, or when it is asked for here. On Linux .NET uses OpenSSL as well, and a process has room for one OpenSSL 3: that
/// which is loaded first.
/// </summary>
public static class CoapDtls
{
    /// <summary>Whether OpenSSL is there. Never throws; <see cref="ThrowIfNotSupported"/> says what is missing.</summary>
    public static bool IsSupported => OpenSslLibrary.TryLoad(out _);

    /// <summary>What OpenSSL says of itself, such as <c>OpenSSL 3.0.19 27 Jan 2026</c>; null when there is none.</summary>
    public static string? OpenSslVersion => OpenSslLibrary.Version;

    /// <summary>
    /// The directory that holds libcrypto and libssl; only there they are looked for. Default null: that of the environment variable
    /// <c>COAP_OPENSSL_PATH</c>, without it the places where the system looks for libraries, and on macOS those of Homebrew. Where a
    /// directory is named, <see cref="CoapDtlsEndpointExtensions.UseDtls"/> and <see cref="CoapCertificates"/> load OpenSSL already; if
    /// .NET needs one before that, name the directory in <c>LD_LIBRARY_PATH</c> too.
    /// </summary>
    /// <exception cref="InvalidOperationException">OpenSSL is loaded already, when set: set it at the start of the program.</exception>
    public static string? LibraryDirectory
    {
        get => OpenSslLibrary.Directory;
        set => OpenSslLibrary.Directory = value;
    }

    /// <summary>Says what to do where OpenSSL is missing.</summary>
    /// <exception cref="CoapDtlsException">There is no OpenSSL, or it is too old; the message says what was tried and what to
    /// install.</exception>
    public static void ThrowIfNotSupported()
    {
        if (!OpenSslLibrary.TryLoad(out string missing))
        {
            throw new CoapDtlsException(missing);
        }
    }
}
