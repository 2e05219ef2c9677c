using System.Reflection;
using System.Runtime.Loader;

namespace CoAP.NET.Dtls.Tests.Options;

public sealed class CoapDtlsTests : IDisposable
{
    private readonly TemporaryFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void OpenSSL_is_there_and_says_which()
    {
        Assert.True(CoapDtls.IsSupported);
        Assert.Matches(@"^OpenSSL \d+\.\d+\.\d+", CoapDtls.OpenSslVersion);
        CoapDtls.ThrowIfNotSupported();
        Assert.Throws<InvalidOperationException>(() => CoapDtls.LibraryDirectory = _files.Path);
    }

    [Fact]
    public void Where_OpenSSL_is_missing_it_is_said_what_to_do()
    {
        Type dtls = CopyThatLooksIn(_files.Path);

        Exception exception = Missing(dtls);
        Assert.Equal(typeof(CoapDtlsException).FullName, exception.GetType().FullName);
        Assert.Contains($"CoapDtls.LibraryDirectory names, {_files.Path}, which has no such OpenSSL", exception.Message,
            Ordinal);
        Assert.Contains("remove the setting to use the OpenSSL of the system", exception.Message, Ordinal);
        Assert.DoesNotContain("Install it", exception.Message, Ordinal);
        Assert.IsAssignableFrom<CoapException>(exception);
    }

    [Fact]
    public void A_directory_that_does_not_exist_is_named_as_the_fault()
    {
        string missing = _files.Name("nowhere");
        Assert.Contains($"{missing}, which does not exist", Missing(CopyThatLooksIn(missing)).Message, Ordinal);
    }

    [Theory]
    [InlineData(nameof(CoapCertificates.Load))]
    [InlineData(nameof(CoapCertificates.LoadAuthorities))]
    public void Where_NET_needs_OpenSSL_too_it_is_looked_for_before_a_certificate_is_read(string method)
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        Type certificates = CopyThatLooksIn(_files.Path).Assembly.GetType(typeof(CoapCertificates).FullName!)!;
        object?[] arguments = method == nameof(CoapCertificates.Load) ? ["missing.pem", null, null] : ["missing.pem"];
        Exception exception = Assert.Throws<TargetInvocationException>(
            () => certificates.GetMethod(method)!.Invoke(null, arguments)).InnerException!;
        Assert.StartsWith("coaps needs OpenSSL", exception.Message, Ordinal);
    }

    [Fact]
    public void An_OpenSSL_beside_another_of_its_name_is_not_mixed_with_it()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        // .NET has loaded one by now, and this is a copy of it elsewhere: its libssl would use the libcrypto that is there already.
        Assert.NotEmpty(SHA256.HashData([]));
        string[] maps = File.ReadAllLines("/proc/self/maps");
        string version = maps.Any(line => line.EndsWith("/libssl.so.3", Ordinal)) ? "3" : "1.1";
        foreach (string name in new[] { $"libcrypto.so.{version}", $"libssl.so.{version}" })
        {
            string loaded = maps.First(line => line.EndsWith($"/{name}", Ordinal));
            File.Copy(loaded[loaded.IndexOf('/', Ordinal)..], _files.Name(name));
        }

        string message = Missing(CopyThatLooksIn(_files.Path)).Message;
        Assert.Contains("uses another one with the same names already", message, Ordinal);
        Assert.Contains($"LD_LIBRARY_PATH={_files.Path}", message, Ordinal);
    }

    [Fact]
    public void A_library_that_does_not_load_is_named()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        string name = _files.Name("libcrypto.so.3");
        File.WriteAllText(name, "no library");
        Assert.Contains($"{name}: it is there and does not load", Missing(CopyThatLooksIn(_files.Path)).Message, Ordinal);
    }

    // A second copy of the assembly: in this one OpenSSL is loaded.
    private static Type CopyThatLooksIn(string directory)
    {
        AssemblyLoadContext context = new(nameof(CoapDtlsTests));
        Type dtls = context.LoadFromAssemblyPath(typeof(CoapDtls).Assembly.Location).GetType(typeof(CoapDtls).FullName!)!;
        dtls.GetProperty(nameof(CoapDtls.LibraryDirectory))!.SetValue(null, directory);
        return dtls;
    }

    private static Exception Missing(Type dtls)
    {
        Assert.Equal(false, dtls.GetProperty(nameof(CoapDtls.IsSupported))!.GetValue(null));
        Assert.Null(dtls.GetProperty(nameof(CoapDtls.OpenSslVersion))!.GetValue(null));
        return Assert.Throws<TargetInvocationException>(
            () => dtls.GetMethod(nameof(CoapDtls.ThrowIfNotSupported))!.Invoke(null, null)).InnerException!;
    }
}
