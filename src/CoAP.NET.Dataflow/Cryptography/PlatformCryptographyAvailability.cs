using System.Runtime.InteropServices;

namespace CoAP.NET.Cryptography;

/// <summary>
/// Whether .NET's cryptography works. On Linux it needs OpenSSL, and ends the process where that is missing: no handler sees an exception.
/// Ask before the first certificate, key, hash or cipher of .NET.
/// </summary>
internal static class PlatformCryptographyAvailability
{
    /// <summary>The instructions for a missing OpenSSL on Linux.</summary>
    public const string Packages =
        "Debian and Ubuntu: apt-get install libssl3, from Debian 13 and Ubuntu 24.04 on libssl3t64; Alpine: apk add libssl3; Fedora and "
            + "RHEL: dnf install openssl-libs";

    // It stays once it is there; an application may still load it later from a place of its own.
    private static volatile bool s_isFound;

    /// <summary>Whether .NET has what its cryptography needs.</summary>
    public static bool IsAvailable => !OperatingSystem.IsLinux() || s_isFound || (s_isFound = Names().Any(IsThere));

    /// <summary>Throws with instructions if .NET's cryptography lacks its OpenSSL.</summary>
    /// <param name="what">What needs it, such as <c>TLS</c>: the first words of the message.</param>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public static void ThrowIfMissing(string what)
    {
        if (!IsAvailable)
        {
            throw new PlatformNotSupportedException(Missing(what));
        }
    }

    /// <summary>Says that OpenSSL is missing, and what to do.</summary>
    /// <param name="what">What needs it: the first words of the message.</param>
    public static string Missing(string what) =>
        $"{what} needs OpenSSL 3 or 1.1.1, which .NET does not find (tried {string.Join(", ", Names())}). Install it ({Packages}).";

    /// <summary>The names of the library that .NET tries.</summary>
    internal static IEnumerable<string> Names() =>
        OpenSslLibraryNames.OfNet(Environment.Version.Major, Environment.GetEnvironmentVariable(OpenSslLibraryNames.VersionVariableOfNet));

    // Closed again: who asks need not use it, and it takes 5 MiB.
    private static bool IsThere(string name)
    {
        if (!NativeLibrary.TryLoad(name, out nint library))
        {
            return false;
        }

        NativeLibrary.Free(library);
        return true;
    }
}
