using System.Security.Authentication;

namespace CoAP.NET.Dtls.Tests.Options;

public sealed class IdentityTests
{
    [Fact]
    public async Task Sessions_with_the_same_pre_shared_key_identity_belong_to_the_same_peer()
    {
        ConcurrentQueue<CoapDtlsPeerIdentity> seen = [];
        await using SecureEndpoints secure = await StartAsync(seen);
        secure.Keys.Add("device-2", "other key"u8);

        await secure.Client().GetAsync($"{secure.Host}/identity");
        await secure.Client().GetAsync($"{secure.Host}/identity");
        await secure.Client("device-2", "other key"u8.ToArray()).GetAsync($"{secure.Host}/identity");

        CoapDtlsPeerIdentity[] identities = [.. seen];
        Assert.Equal(3, identities.Length);
        Assert.True(identities[0] == identities[1]);
        Assert.NotSame(identities[0], identities[1]);
        Assert.Equal(identities[0].GetHashCode(), identities[1].GetHashCode());
        Assert.True(identities[0] != identities[2]);
        Assert.Equal("TLS_PSK_WITH_AES_128_CCM_8", identities[0].CipherSuite);
        Assert.True(identities[0].HasConnectionId);
        Assert.True(identities[0].IsKnown);
        Assert.Contains("device-1", identities[0].ToString(), Ordinal);
        Assert.DoesNotContain(Encoding.ASCII.GetString(SecureEndpoints.Key), identities[0].ToString(), Ordinal);
    }

    [Fact]
    public async Task A_client_is_identified_by_its_certificate_and_is_anonymous_without_it()
    {
        using BenchAuthority authority = new();
        using X509Certificate2 server = authority.Issue(address: System.Net.IPAddress.Loopback);
        using X509Certificate2 device = authority.Issue(commonName: "device-7", forServers: false);
        ConcurrentQueue<CoapDtlsPeerIdentity> seen = [];
        await using SecureEndpoints secure = await StartAsync(
            seen,
            options =>
            {
                options.Certificate = server;
                options.RequestClientCertificate = true;
                options.TrustedAuthorities.Add(authority.Certificate);
            });

        await WithCertificate(secure, authority, device).GetAsync($"{secure.Host}/identity");
        await WithCertificate(secure, authority, null).GetAsync($"{secure.Host}/identity");
        await WithCertificate(secure, authority, null).GetAsync($"{secure.Host}/identity");

        CoapDtlsPeerIdentity[] identities = [.. seen];
        Assert.NotEqual(identities[1], identities[2]);
        Assert.Equal("CN=device-7", identities[0].Certificate!.Subject);
        Assert.True(identities[0].IsKnown);
        Assert.Null(identities[0].PskIdentity);
        Assert.False(identities[1].IsKnown);
        Assert.Null(identities[1].Certificate);
        Assert.NotEqual(identities[0], identities[1]);
        Assert.Equal("TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8", identities[1].CipherSuite);
        Assert.Same(identities[0].Certificate, ((ICoapPeerIdentity)identities[0]).Certificate);

        // One certificate is one peer over DTLS and over TLS.
        CoapTlsPeerIdentity tls = new(device, null, SslProtocols.Tls13, TlsCipherSuite.TLS_AES_128_GCM_SHA256);
        Assert.Equal(tls.Id, identities[0].Id);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Certificate_handshakes_work_with_the_smallest_datagrams(bool usesConnectionIds)
    {
        using BenchAuthority authority = new();
        using X509Certificate2 certificate = authority.Issue(address: System.Net.IPAddress.Loopback);
        using X509Certificate2 device = authority.Issue(commonName: "device-7", forServers: false);
        CoapDtlsServerOptions own = new()
        {
            Certificate = certificate,
            RequireClientCertificate = true,
            TrustedAuthorities = { authority.Certificate }
        };
        CoapDtlsOptions Small() =>
            new() { MaxDatagramSize = 256, UseConnectionIds = usesConnectionIds, HandshakeTimeout = FromMinutes(1) };
        CoapDtlsOptions serving = Small();
        serving.Server = own;
        await using CoapServer server = new(new CoapEndpointOptions().UseDtls(serving));
        server.Listen("coaps://127.0.0.1:0");
        server.MapGet("/who", request => CoapResults.Text(((CoapDtlsPeerIdentity)request.Peer.Identity!).Certificate!.Subject));
        await server.StartAsync();
        CoapDtlsOptions asking = Small();
        asking.Client = new CoapDtlsClientOptions { Certificate = device, TrustedAuthorities = { authority.Certificate } };
        await using CoapClient client = new(new CoapEndpointOptions().UseDtls(asking));

        await client.GetAsync($"{server.LocalEndpoints[0]}who").Says("CN=device-7");
    }

    private static CoapClient WithCertificate(SecureEndpoints secure, BenchAuthority authority, X509Certificate2? certificate) =>
        secure.Client(configure: dtls =>
            dtls.Client = new CoapDtlsClientOptions { Certificate = certificate, TrustedAuthorities = { authority.Certificate } });

    private static async Task<SecureEndpoints> StartAsync(ConcurrentQueue<CoapDtlsPeerIdentity> seen,
        Action<CoapDtlsServerOptions>? configure = null)
    {
        SecureEndpoints secure = new(configure);
        secure.Server.MapGet("/identity", request =>
        {
            seen.Enqueue((CoapDtlsPeerIdentity)request.Peer.Identity!);
            return CoapResults.Text("seen");
        });
        return await secure.StartAsync();
    }
}
