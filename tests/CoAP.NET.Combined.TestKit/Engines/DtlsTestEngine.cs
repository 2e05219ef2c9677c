using CoAP.NET.Dtls;

namespace CoAP.NET.Tests.Engines;

internal sealed class DtlsTestEngine(CoapSocketEngine engine) : SocketTestEngine
{
    private const string Identity = "device-1";

    private static readonly byte[] s_key = "secretPSK-1234567"u8.ToArray();

    protected override string Scheme => "coaps";

    protected override void ConfigureServer(CoapEndpointOptions options)
    {
        options.Transports.UdpEngine = engine;
        options.UseDtls(
            new CoapDtlsOptions { Server = new CoapDtlsServerOptions { PskStore = new CoapPskDictionary { { Identity, s_key } } } });
    }

    protected override void ConfigureClient(CoapEndpointOptions options)
    {
        options.Transports.UdpEngine = engine;
        options.UseDtls(new CoapDtlsOptions { Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(Identity, s_key) } });
    }
}
