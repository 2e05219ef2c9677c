using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Tests.Execution;

/// <summary>
/// Whether .NET's cryptography has its OpenSSL. What happens without it is tried in a root that has none (.ci/platforms).
/// </summary>
public sealed partial class PlatformCryptographyAvailabilityTests
{
    [Fact]
    public void Platform_cryptography_is_available_on_the_test_machine()
    {
        Assert.True(PlatformCryptographyAvailability.IsAvailable);
        PlatformCryptographyAvailability.ThrowIfMissing("TLS");
    }

    [Fact]
    public void The_error_for_missing_OpenSSL_names_the_libraries_and_the_package_to_install()
    {
        string message = PlatformCryptographyAvailability.Missing("TLS");

        message.Begins("TLS needs OpenSSL 3 or 1.1.1");
        message.Mentions("libssl.so.3, libssl.so.1.1");
        message.Mentions("apt-get install libssl3");
    }

    // A later .NET may look for other versions.
    [Fact]
    public void The_OpenSSL_library_names_are_those_of_the_NET_runtime()
    {
        string shim = Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "libSystem.Security.Cryptography.Native.OpenSsl.so");
        Assert.SkipUnless(File.Exists(shim), "needs the shared runtime of Linux");
        string text = Encoding.Latin1.GetString(File.ReadAllBytes(shim));
        string[] names = [.. Names().Matches(text).Select(static match => match.Value).Distinct().Order(StringComparer.Ordinal)];

        // A build of a distribution is linked with one version.
        Assert.True(names.Length == 1 || text.Contains("DOTNET_OPENSSL_VERSION_OVERRIDE", Ordinal));
        Assert.Superset(names.ToHashSet(), PlatformCryptographyAvailability.Names().ToHashSet());
        Assert.True(names.Length == 1 || names.Length == PlatformCryptographyAvailability.Names().Count());
    }

    [GeneratedRegex(@"libssl\.so\.[0-9][0-9.]*[0-9]|libssl\.so\.[0-9]")]
    private static partial Regex Names();
}
