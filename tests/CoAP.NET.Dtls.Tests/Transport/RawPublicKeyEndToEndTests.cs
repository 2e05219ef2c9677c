namespace CoAP.NET.Dtls.Tests.Transport;

public sealed class RawPublicKeyEndToEndTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("7252-9.1.3.2-1")]
    public async Task Raw_public_keys_authenticate_both_ends_and_the_error_without_support_says_what_to_install(bool isKnown)
    {
        using ECDsa serverKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using ECDsa clientKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        byte[] ofServer = serverKey.ExportSubjectPublicKeyInfo();
        byte[] ofClient = clientKey.ExportSubjectPublicKeyInfo();
        CoapDtlsServerOptions serving = new()
        {
            RawPublicKey = serverKey,
            RequireClientCertificate = true,
            ValidateClientCertificate = (_, _, _, _) => new(false),
            ValidateClientPublicKey = (key, _) => new(isKnown && key.Span.SequenceEqual(ofClient)),
        };
        await using CoapServer server = new();
        server.Endpoint.AddTransport(new CoapDtlsTransport(new CoapDtlsOptions { Server = serving },
            new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } }));
        server.MapGet("/key", request => CoapResults.Bytes(((CoapDtlsPeerIdentity)request.Peer.Identity!).PublicKey.ToArray()));
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(new CoapDtlsOptions
        {
            HandshakeTimeout = FromMinutes(1),
            Client = new CoapDtlsClientOptions
            {
                RawPublicKey = clientKey,
                ValidateServerPublicKey = (_, key, _) => new(key.Span.SequenceEqual(ofServer))
            },
        }));
        await server.StartAsync();
        Task<CoapResponse> asked = client.GetAsync($"{server.LocalEndpoints[0]}key");
        if (isKnown)
        {
            Assert.Equal(ofClient, (await asked).Payload.ToArray());
        }
        else
        {
            await Assert.ThrowsAsync<CoapConnectionException>(() => asked);
        }
    }
}
