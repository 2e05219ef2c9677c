using System.Net.Security;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Engines;

internal sealed class TlsTestEngine(CoapSocketEngine engine) : SocketTestEngine
{
    private readonly TlsCertificates _certificates = new();

    public override ValueTask DisposeAsync()
    {
        _certificates.Dispose();
        return base.DisposeAsync();
    }

    protected override string Scheme => "coaps+tcp";

    protected override void ConfigureServer(CoapEndpointOptions options)
    {
        options.Transports.TcpEngine = engine;
        options.Tls = new CoapTlsOptions
        {
            Server = new SslServerAuthenticationOptions { ServerCertificate = _certificates.Server(["127.0.0.1"]) }
        };
    }

    protected override void ConfigureClient(CoapEndpointOptions options)
    {
        options.Transports.TcpEngine = engine;
        options.Tls = new CoapTlsOptions { Client = new SslClientAuthenticationOptions { CertificateChainPolicy = _certificates.Trust() } };
    }
}
