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
        // A second copy of the assembly: in this one OpenSSL is loaded.
        AssemblyLoadContext context = new(nameof(CoapDtlsTests));
        Type dtls = context.LoadFromAssemblyPath(typeof(CoapDtls).Assembly.Location).GetType(typeof(CoapDtls).FullName!)!;
        dtls.GetProperty(nameof(CoapDtls.LibraryDirectory))!.SetValue(null, _files.Path);

        Assert.Equal(false, dtls.GetProperty(nameof(CoapDtls.IsSupported))!.GetValue(null));
        Assert.Null(dtls.GetProperty(nameof(CoapDtls.OpenSslVersion))!.GetValue(null));
        Exception exception = Assert.Throws<TargetInvocationException>(() => dtls.GetMethod(nameof(CoapDtls.ThrowIfNotSupported))!.Invoke(null, null)).InnerException!;
        Assert.Equal(typeof(CoapDtlsException).FullName, exception.GetType().FullName);
        Assert.Contains(_files.Path, exception.Message, StringComparison.Ordinal);
        Assert.Contains("Install it", exception.Message, StringComparison.Ordinal);
        Assert.Contains("COAP_OPENSSL_PATH", exception.Message, StringComparison.Ordinal);
        Assert.IsAssignableFrom<CoapException>(exception);
    }
}
