using System.Reflection;
using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Native;

/// <summary>Finds the OpenSSL of the system: libcrypto and libssl of the same version.</summary>
internal static class OpenSslLibrary
{
    /// <summary>The library name in imports of libcrypto.</summary>
    public const string Crypto = "coap-libcrypto";

    /// <summary>The library name in imports of libssl.</summary>
    public const string Ssl = "coap-libssl";

    /// <summary>The environment variable that names a directory.</summary>
    public const string PathVariable = "COAP_OPENSSL_PATH";

    // The result of OpenSSL_version_num for 1.1.1.
    private const uint Oldest = 0x1010100f;
    private const string VersionFunction = "OpenSSL_version_num";

    private static readonly Lock s_lock = new();
    private static nint s_crypto;
    private static nint s_ssl;
    private static string? s_directory;
    private static bool s_isRegistered;

    /// <summary>The directory to search before the system's own places, or null.</summary>
    public static string? Directory
    {
        get => s_directory ?? Environment.GetEnvironmentVariable(PathVariable);
        set
        {
            lock (s_lock)
            {
                if (s_crypto != 0)
                {
                    throw new InvalidOperationException(
                        "OpenSSL is loaded already. Set CoapDtls.LibraryDirectory before the first use of CoAP.NET.Dtls.");
                }

                s_directory = value;
            }
        }
    }

    /// <summary>The instructions for a missing OpenSSL.</summary>
    public static string Advice =>
        $"Install it ({Package()}), or name the directory that holds libcrypto and libssl in CoapDtls.LibraryDirectory or in the "
            + $"environment variable {PathVariable}.";

    /// <summary>OpenSSL's version text; null without OpenSSL.</summary>
    public static unsafe string? Version
    {
        get
        {
            if (!TryLoad(out _) || !NativeLibrary.TryGetExport(s_crypto, "OpenSSL_version", out nint version))
            {
                return null;
            }

            return Marshal.PtrToStringUTF8(((delegate* unmanaged[Cdecl]<int, nint>)version)(0));
        }
    }

    /// <summary>Makes imports of this assembly resolve here. Idempotent; call it before the first import.</summary>
    public static void Register()
    {
        lock (s_lock)
        {
            if (!s_isRegistered)
            {
                NativeLibrary.SetDllImportResolver(typeof(OpenSslLibrary).Assembly, Resolve);
                s_isRegistered = true;
            }
        }
    }

    /// <summary>Whether the libraries are available.</summary>
    /// <param name="missing">The attempts and the instructions, if they are not.</param>
    /// <returns>Whether loading succeeded.</returns>
    public static bool TryLoad(out string missing)
    {
        lock (s_lock)
        {
            missing = string.Empty;
            if (s_crypto != 0)
            {
                return true;
            }

            List<string> tried = [];
            bool isTaken = false;
            foreach ((string crypto, string ssl) in OpenSslNames.OfThisMachine(!string.IsNullOrEmpty(Directory)))
            {
                if (!TryLoadFrom(crypto, tried, out nint cryptoHandle) || !IsNewEnough(cryptoHandle, tried))
                {
                    continue;
                }

                if (TryLoadFrom(ssl, tried, out nint sslHandle) && IsOfOneKind(cryptoHandle, sslHandle))
                {
                    if (!PlatformCryptography.IsAvailable)
                    {
                        missing = $"coaps has found {ssl}, and .NET {Environment.Version.Major}, which computes the hashes of a handshake, "
                            + $"does not look for it. Install OpenSSL 3 too ({Package()}), or start the process with "
                            + $"{OpenSslNames.VersionVariableOfNet}=4.";
                        return false;
                    }

                    (s_crypto, s_ssl) = (cryptoHandle, sslHandle);
                    return true;
                }

                isTaken |= IsPlaceTaken(crypto, cryptoHandle);
            }

            missing = isTaken
                ? $"The OpenSSL in {Directory} cannot be used, as this process uses another one with the same names already "
                    + $"(tried {string.Join(", ", tried)}). .NET loads that of the system with the first certificate, hash or TLS "
                    + "connection. "
                    + $"Start the process with LD_LIBRARY_PATH={Directory}, so that there is one for both, or ask for CoapDtls.IsSupported "
                    + "before anything else is done."
                : Missing(tried);
            return false;
        }
    }

    /// <summary>
    /// Throws without OpenSSL where .NET uses it too: there .NET ends the process when it needs cryptography first. Call it before the
    /// first certificate is read.
    /// </summary>
    /// <exception cref="CoapDtlsException">On Linux: there is no OpenSSL.</exception>
    public static void ThrowIfNetNeedsIt()
    {
        if (OperatingSystem.IsLinux() && !TryLoad(out string missing))
        {
            throw new CoapDtlsException(missing);
        }
    }

    /// <summary>
    /// Loads a named OpenSSL immediately; a failure surfaces later. Of two OpenSSL with the same file names a process keeps the first one,
    /// and .NET loads the system's when it needs one: after that the named one is useless.
    /// </summary>
    public static void LoadIfNamed()
    {
        if (!string.IsNullOrEmpty(Directory))
        {
            _ = TryLoad(out _);
        }
    }

    /// <summary>Finds a function that only some versions export.</summary>
    /// <param name="library"><see cref="Crypto"/> or <see cref="Ssl"/>.</param>
    /// <param name="name">The name of the function.</param>
    /// <returns>Its address, or 0.</returns>
    /// <exception cref="DllNotFoundException">There is no OpenSSL.</exception>
    public static nint Find(string library, string name)
    {
        Load();
        return NativeLibrary.TryGetExport(library == Crypto ? s_crypto : s_ssl, name, out nint address) ? address : 0;
    }

    private static string Missing(List<string> tried)
    {
        string what = string.Join(", ", tried);
        if (Directory is not { Length: > 0 } directory)
        {
            return $"coaps needs OpenSSL {OpenSslNames.Versions}, which was not found (tried {what}). {Advice}";
        }

        string source = s_directory is null ? $"the environment variable {PathVariable}" : "CoapDtls.LibraryDirectory";
        string fault = System.IO.Directory.Exists(directory) ? "which has no such OpenSSL" : "which does not exist";
        return $"coaps needs OpenSSL {OpenSslNames.Versions}. It was looked for only in the directory that {source} names, {directory}, "
            + $"{fault} (tried {what}). Name the directory that holds libcrypto and libssl there, or remove the setting to use the OpenSSL "
            + "of the system.";
    }

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? path)
    {
        if (name is not (Crypto or Ssl))
        {
            return 0;
        }

        Load();
        return name == Crypto ? s_crypto : s_ssl;
    }

    private static void Load()
    {
        if (!TryLoad(out string missing))
        {
            throw new DllNotFoundException(missing);
        }
    }

    private static bool TryLoadFrom(string name, List<string> tried, out nint handle)
    {
        string? directory = Directory;
        string full = string.IsNullOrEmpty(directory) ? name : Path.Combine(directory, name);
        tried.Add(full);
        if (NativeLibrary.TryLoad(full, out handle))
        {
            return true;
        }

        tried[^1] += File.Exists(full) ? ": it is there and does not load" : string.Empty;
        return false;
    }

    // Functions of one take objects of the other. Except on Windows, a look-up in a library includes those that it depends on, which shows
    // the libcrypto that a libssl uses.
    private static bool IsOfOneKind(nint crypto, nint ssl) =>
        !NativeLibrary.TryGetExport(ssl, VersionFunction, out nint used)
            || !NativeLibrary.TryGetExport(crypto, VersionFunction, out nint own) || used == own;

    // The loader of Linux uses an already loaded libcrypto for the one of the same name that a libssl needs, wherever both are.
    private static bool IsPlaceTaken(string name, nint crypto) =>
        OperatingSystem.IsLinux() && !string.IsNullOrEmpty(Directory)
        && NativeLibrary.TryLoad(name, out nint other)
        && NativeLibrary.TryGetExport(other, VersionFunction, out nint there)
        && NativeLibrary.TryGetExport(crypto, VersionFunction, out nint own) && there != own;

    private static bool IsNewEnough(nint crypto, List<string> tried)
    {
        uint version = VersionOf(crypto);
        if (version >= Oldest)
        {
            return true;
        }

        tried[^1] += version == 0
            ? ": no OpenSSL of 1.1.1 or later"
            : $": OpenSSL {version >> 28}.{(version >> 20) & 0xff}.{(version >> 12) & 0xff}, which is too old";
        return false;
    }

    private static unsafe uint VersionOf(nint crypto) =>
        NativeLibrary.TryGetExport(crypto, VersionFunction, out nint function)
            ? (uint)((delegate* unmanaged[Cdecl]<CULong>)function)().Value
            : 0;

    private static string Package() =>
        OperatingSystem.IsWindows() ? "OpenSSL 3 or 4 for this processor's architecture: Windows has none of its own"
        : OperatingSystem.IsMacOS() ? "brew install openssl@3"
        : PlatformCryptography.Packages;
}
