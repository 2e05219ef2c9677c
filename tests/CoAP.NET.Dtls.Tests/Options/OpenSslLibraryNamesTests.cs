using System.Runtime.InteropServices;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Dtls.Tests.Options;

public sealed class OpenSslLibraryNamesTests
{
    [Fact]
    public void The_OpenSSL_version_that_NET_loads_is_tried_first_on_Linux_and_the_unsupported_version_last() => Assert.Equal(
        [
            ("libcrypto.so.3", "libssl.so.3"),
            ("libcrypto.so.4", "libssl.so.4"),
            ("libcrypto.so.1.1", "libssl.so.1.1"),
        ],
        OpenSslLibraryNames.For(OSPlatform.Linux, Architecture.X64, isInDirectory: false));

    [Theory]
    [InlineData(Architecture.X64, "x64")]
    [InlineData(Architecture.Arm64, "arm64")]
    public void The_library_names_contain_the_processor_on_Windows(Architecture processor, string suffix) => Assert.Equal(
        [
            ($"libcrypto-3-{suffix}.dll", $"libssl-3-{suffix}.dll"),
            ($"libcrypto-4-{suffix}.dll", $"libssl-4-{suffix}.dll"),
            ($"libcrypto-1_1-{suffix}.dll", $"libssl-1_1-{suffix}.dll"),
        ],
        OpenSslLibraryNames.For(OSPlatform.Windows, processor, isInDirectory: true));

    [Fact]
    public void Each_version_is_also_searched_in_the_Homebrew_directory_on_macOS() => Assert.Equal(
        [
            "libssl.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib", "/usr/local/opt/openssl@3/lib/libssl.3.dylib",
            "libssl.4.dylib", "/opt/homebrew/opt/openssl@4/lib/libssl.4.dylib", "/usr/local/opt/openssl@4/lib/libssl.4.dylib",
            "libssl.1.1.dylib", "/opt/homebrew/opt/openssl@1.1/lib/libssl.1.1.dylib", "/usr/local/opt/openssl@1.1/lib/libssl.1.1.dylib",
        ],
        OpenSslLibraryNames.For(OSPlatform.OSX, Architecture.Arm64, isInDirectory: false).Select(names => names.Ssl));

    [Fact]
    public void Only_files_of_the_named_directory_are_used_on_macOS() => Assert.Equal(
        ["libcrypto.3.dylib", "libcrypto.4.dylib", "libcrypto.1.1.dylib"],
        OpenSslLibraryNames.For(OSPlatform.OSX, Architecture.Arm64, isInDirectory: true).Select(names => names.Crypto));

    [Theory]
    [InlineData(10, null, "libssl.so.3", "libssl.so.1.1", "libssl.so.1.0.2", "libssl.so.1.0.0", "libssl.so.10")]
    [InlineData(10, "4", "libssl.so.4", "libssl.so.3", "libssl.so.1.1", "libssl.so.1.0.2", "libssl.so.1.0.0", "libssl.so.10")]
    [InlineData(11, "", "libssl.so.3", "libssl.so.1.1", "libssl.so.4")]
    public void The_OpenSSL_names_that_NET_loads_depend_on_its_version_and_setting(int version, string? wanted, params string[] names) =>
        Assert.Equal(names, OpenSslLibraryNames.OfNet(version, wanted));
}
