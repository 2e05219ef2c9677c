using System.Runtime.InteropServices;

namespace CoAP.NET.Cryptography;

/// <summary>The file names of OpenSSL in the order in which the library tries them.</summary>
internal static class OpenSslLibraryNames
{
    // 3 comes first, because .NET 10 on Linux loads that one: then a process has one OpenSSL. 1.1 comes last, because it gets no
    // more corrections.
    private static readonly string[] s_versions = ["3", "4", "1.1"];

    /// <summary>The versions in use, for messages.</summary>
    public const string Versions = "3, 4 or 1.1.1";

    /// <summary>The environment variable with the version that .NET loads on Linux before any other.</summary>
    public const string VersionVariableOfNet = "DOTNET_OPENSSL_VERSION_OVERRIDE";

    /// <summary>
    /// The names that .NET itself tries on Linux, where it ends the process if it needs cryptography and finds none of them: no 4 before
    /// .NET 11.
    /// </summary>
    /// <param name="version">The major version of .NET.</param>
    /// <param name="wanted">The value of <see cref="VersionVariableOfNet"/>, or null.</param>
    /// <returns>Names of libssl.</returns>
    public static IEnumerable<string> OfNet(int version, string? wanted)
    {
        string[] versions = version < 11 ? ["3", "1.1", "1.0.2", "1.0.0", "10"] : ["3", "1.1", "4"];
        return (string.IsNullOrEmpty(wanted) ? versions : versions.Prepend(wanted)).Select(static one => $"libssl.so.{one}");
    }

    /// <summary>The names on this machine.</summary>
    /// <param name="isInDirectory">Whether they are in a directory that is named; otherwise the system knows where.</param>
    /// <returns>Pairs of libraries of one version.</returns>
    public static IEnumerable<(string Crypto, string Ssl)> OfThisMachine(bool isInDirectory) => For(
        OperatingSystem.IsWindows() ? OSPlatform.Windows : OperatingSystem.IsMacOS() ? OSPlatform.OSX : OSPlatform.Linux,
        RuntimeInformation.ProcessArchitecture,
        isInDirectory);

    /// <summary>The names on a system.</summary>
    /// <param name="system">The system. One that is neither Windows nor macOS has the names of Linux.</param>
    /// <param name="processor">The processor, which the names on Windows contain.</param>
    /// <param name="isInDirectory">Whether a directory is named in which they are.</param>
    /// <returns>Pairs of libraries of one version.</returns>
    public static IEnumerable<(string Crypto, string Ssl)> For(OSPlatform system, Architecture processor, bool isInDirectory)
    {
        foreach (string version in s_versions)
        {
            if (system == OSPlatform.Windows)
            {
                string suffix = $"{version.Replace('.', '_')}-{(processor == Architecture.Arm64 ? "arm64" : "x64")}.dll";
                yield return ($"libcrypto-{suffix}", $"libssl-{suffix}");
            }
            else if (system == OSPlatform.OSX)
            {
                yield return ($"libcrypto.{version}.dylib", $"libssl.{version}.dylib");

                // Homebrew links its OpenSSL nowhere; the loader does not search there.
                foreach (string homebrew in isInDirectory ? [] : new[] { "/opt/homebrew", "/usr/local" })
                {
                    string directory = $"{homebrew}/opt/openssl@{version}/lib";
                    yield return ($"{directory}/libcrypto.{version}.dylib", $"{directory}/libssl.{version}.dylib");
                }
            }
            else
            {
                yield return ($"libcrypto.so.{version}", $"libssl.so.{version}");
            }
        }
    }
}
