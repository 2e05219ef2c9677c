using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls;

/// <summary>Reports whether this machine supports <c>coaps</c>, and finds OpenSSL.</summary>
/// <remarks>
/// OpenSSL of the system, 3, 4 or 1.1.1, does the handshakes. The library looks for it when an endpoint that uses <c>coaps</c> starts, or
/// when a member of this class needs it. On Linux .NET uses OpenSSL as well, and a process has room for one OpenSSL 3: the one it loads
/// first. .NET 10 finds OpenSSL 4 only with <c>DOTNET_OPENSSL_VERSION_OVERRIDE=4</c> in the environment.
/// </remarks>
public static class CoapDtls
{
    /// <summary>Whether OpenSSL is available. Never throws; <see cref="ThrowIfNotSupported"/> names what is missing.</summary>
    public static bool IsSupported => OpenSslLibrary.TryLoad(out _);

    /// <summary>The version that OpenSSL reports, such as <c>OpenSSL 3.0.19 27 Jan 2026</c>; null without OpenSSL.</summary>
    public static string? OpenSslVersion => OpenSslLibrary.Version;

    /// <summary>The directory that holds libcrypto and libssl; the library looks for them nowhere else.</summary>
    /// <exception cref="InvalidOperationException">OpenSSL is already loaded. Set the directory at the start of the program.</exception>
    /// <remarks>
    /// Default null: the directory in the environment variable <c>COAP_OPENSSL_PATH</c>. Without that variable, the places where the system
    /// looks for libraries, and on macOS those of Homebrew. With a directory, <see cref="CoapDtlsEndpointExtensions.UseDtls"/> and
    /// <see cref="CoapCertificates"/> already load OpenSSL. If .NET needs OpenSSL earlier, name the directory in <c>LD_LIBRARY_PATH</c>
    /// too.
    /// </remarks>
    public static string? LibraryDirectory
    {
        get => OpenSslLibrary.Directory;
        set => OpenSslLibrary.Directory = value;
    }

    /// <summary>Throws with instructions if OpenSSL is missing.</summary>
    /// <exception cref="CoapDtlsException">
    /// There is no OpenSSL, or it is too old. The message names the libraries that it tried and what to install.
    /// </exception>
    public static void ThrowIfNotSupported()
    {
        if (!OpenSslLibrary.TryLoad(out string missing))
        {
            throw new CoapDtlsException(missing);
        }
    }
}
