using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls.Tests.Options;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Certificates, authorities and keys that are renewed or revoked while endpoints run.</summary>
public sealed class RenewalTests : IDisposable
{
    private readonly TemporaryFiles _files = new();
    private readonly BenchAuthority _authority = new();

    public void Dispose()
    {
        _authority.Dispose();
        _files.Dispose();
    }

    [Fact]
    public async Task A_renewed_certificate_is_used_in_new_handshakes_and_open_sessions_continue()
    {
        CoapDtlsCredentials current = Of(_authority.Issue(address: IPAddress.Loopback, commonName: "first"));
        await using SecureEndpoints secure = await new SecureEndpoints(server =>
        {
            server.PskStore = null;
            server.SelectCredentials = _ => current;
        }).StartAsync();
        CoapClient early = Client(secure);
        Assert.Equal("CN=first", await ServerOfAsync(secure, early));

        current = Of(_authority.Issue(address: IPAddress.Loopback, commonName: "second"));

        Assert.Equal("CN=first", await ServerOfAsync(secure, early));
        Assert.Equal("CN=second", await ServerOfAsync(secure, Client(secure)));
        Assert.Equal(2, secure.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    public async Task The_requested_server_name_selects_the_certificate_and_null_selects_that_of_the_options()
    {
        List<string?> asked = [];
        CoapDtlsCredentials named = Of(_authority.Issue("localhost", commonName: "named"));
        await using SecureEndpoints secure = await new SecureEndpoints(server =>
        {
            server.PskStore = null;
            server.Certificate = _authority.Issue(address: IPAddress.Loopback, commonName: "of the options");
            server.SelectCredentials = name =>
            {
                lock (asked)
                {
                    asked.Add(name);
                }

                return name == "localhost" ? named : null;
            };
        }).StartAsync();

        Assert.Equal("CN=of the options", await ServerOfAsync(secure, Client(secure)));
        CoapClient client = Client(secure);
        await client.GetAsync($"coaps://localhost:{secure.Port}/hello").Says("hello");
        Assert.Equal("CN=named", ((CoapDtlsPeerIdentity)client.Endpoint.ConnectedPeers[0].Identity!).Certificate!.Subject);
        Assert.Equal([null, "localhost"], asked);
    }

    [Fact]
    public async Task A_client_sends_its_renewed_certificate_and_the_server_accepts_it_by_its_new_authority()
    {
        using BenchAuthority next = new("next authority");
        X509Certificate2 server = _authority.Issue(address: IPAddress.Loopback);
        CoapDtlsCredentials ofServer = Of(server);
        CoapDtlsCredentials ofClient = Of(_authority.Issue(commonName: "old", forServers: false));
        await using SecureEndpoints secure = new(options =>
        {
            options.PskStore = null;
            options.RequireClientCertificate = true;
            options.SelectCredentials = _ => ofServer;
        });
        secure.Server.MapGet("/me", request => ((CoapDtlsPeerIdentity)request.Peer.Identity!).Certificate!.Subject);
        await secure.StartAsync();
        CoapClient client = secure.Client(configure: dtls =>
            dtls.Client = new CoapDtlsClientOptions { SelectCredentials = _ => ofClient, MaxResumableSessions = 0 });
        await client.GetAsync($"{secure.Host}/me").Says("CN=old");

        ofServer = new CoapDtlsCredentials(new CoapCertificateChain(server, []), [next.Certificate]);
        using X509Certificate2 renewed = next.Issue(commonName: "new", forServers: false);
        ofClient = new CoapDtlsCredentials(new CoapCertificateChain(renewed, []), [_authority.Certificate]);
        Assert.Equal(1, secure.Server.Endpoint.Disconnect(_ => true, "Test."));

        await Eventually.IsTrueAsync(() => client.Endpoint.ConnectedPeers.Count == 0);
        await client.GetAsync($"{secure.Host}/me").Says("CN=new");
    }

    [Fact]
    public async Task A_revoked_certificate_is_refused_in_new_handshakes_and_Disconnect_ends_its_session()
    {
        using X509Certificate2 device = _authority.Issue(commonName: "device", forServers: false);
        using X509Certificate2 other = _authority.Issue(commonName: "other", forServers: false);
        CoapCertificateChain own = new(_authority.Issue(address: IPAddress.Loopback), []);
        CoapDtlsCredentials current = new(own, [_authority.Certificate]);
        LogLines log = new();
        await using SecureEndpoints secure = await new SecureEndpoints(
            options =>
            {
                options.PskStore = null;
                options.RequireClientCertificate = true;
                options.SelectCredentials = _ => current;
            },
            endpoint => endpoint.LoggerFactory = log).StartAsync();
        CoapClient client = Client(secure, device);
        CoapClient another = Client(secure, other);
        await client.GetAsync($"{secure.Host}/hello").Says("hello");
        await another.GetAsync($"{secure.Host}/hello").Says("hello");

        string file = _files.Name("revoked.crl");
        File.WriteAllBytes(file, _authority.Revoke(device));
        CoapRevocationLists lists = CoapRevocationLists.Load(file, [_authority.Certificate]);
        current = new CoapDtlsCredentials(own, [_authority.Certificate], lists);
        int ended = secure.Server.Endpoint.Disconnect(
            peer => peer.Identity is CoapDtlsPeerIdentity { Certificate: { } certificate } && lists.IsRevoked(certificate),
            "Its certificate is revoked.");

        Assert.Equal(1, ended);
        await another.GetAsync($"{secure.Host}/hello").Says("hello");
        await Eventually.IsTrueAsync(() => client.Endpoint.ConnectedPeers.Count == 0);
        await Assert.ThrowsAsync<CoapConnectionException>(() => client.GetAsync($"{secure.Host}/hello"));
        Assert.Contains(log.Of(2102), line => line.Text.Contains(
            "it claimed the identity 'CN=device'. The certificate 'CN=device' is on the revocation list of its authority.",
            Ordinal));
        Assert.True(secure.Server.Counters[CoapCounter.CertificatesRefused] > 0);
        Assert.Equal(0, secure.Server.Counters[CoapCounter.HandshakeCallbackFailures]);
    }

    [Fact]
    public async Task A_credential_selection_that_throws_or_is_invalid_fails_the_handshake_and_is_logged_as_an_Error()
    {
        LogLines log = new();
        Func<CoapDtlsCredentials?> select = () => throw new TimeZoneNotFoundException("no vault");
        await using SecureEndpoints secure = await new SecureEndpoints(
            options =>
            {
                options.PskStore = null;
                options.RequestClientCertificate = true;
                options.SelectCredentials = _ => select();
            },
            endpoint => endpoint.LoggerFactory = log).StartAsync();

        await FailAsync(() => log.Of(2110).Count > 0);
        Assert.IsType<TimeZoneNotFoundException>(log.Of(2110)[0].Exception);
        select = () => new CoapDtlsCredentials(new CoapCertificateChain(_authority.Issue(address: IPAddress.Loopback), []));
        await FailAsync(() => log.Of(2102).Any(line => line.Text.Contains("name no authority", Ordinal)));

        // The client hears nothing of it, so that the test ends the request when the server has said why.
        async Task FailAsync(Func<bool> isLogged)
        {
            CoapClient client = secure.Client(configure: dtls =>
            {
                dtls.Client = new CoapDtlsClientOptions { TrustedAuthorities = { _authority.Certificate } };
            });
            using CancellationTokenSource end = new();
            Task<CoapResponse> asked = client.SendAsync(new CoapRequest(CoapMethod.Get, $"{secure.Host}/hello"), end.Token);
            await Eventually.IsTrueAsync(isLogged);
            await end.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
        }
    }

    [Fact]
    public void Only_the_last_selected_credentials_are_cached()
    {
        int made = 0;
        CoAP.NET.Dtls.Sessions.PreparedCredentialCache<object> memory = new(_ =>
        {
            made++;
            return new object();
        });
        CoapDtlsCredentials[] credentials = [.. Enumerable.Range(0, CoAP.NET.Dtls.Sessions.PreparedCredentialCache<object>.Size + 1)
            .Select(_ => new CoapDtlsCredentials(null))];

        object first = memory.For(credentials[0]);
        Assert.Same(first, memory.For(credentials[0]));
        foreach (CoapDtlsCredentials one in credentials)
        {
            memory.For(one);
        }

        Assert.Equal(credentials.Length, made);
        Assert.NotSame(first, memory.For(credentials[0]));
    }

    private CoapDtlsCredentials Of(X509Certificate2 certificate) =>
        new(new CoapCertificateChain(certificate, []), [_authority.Certificate]);

    private CoapClient Client(SecureEndpoints secure, X509Certificate2? certificate = null) => secure.Client(configure: dtls =>
        dtls.Client = new CoapDtlsClientOptions { Certificate = certificate, TrustedAuthorities = { _authority.Certificate } });

    private static async Task<string> ServerOfAsync(SecureEndpoints secure, CoapClient client)
    {
        await client.GetAsync($"{secure.Host}/hello").Says("hello");
        return ((CoapDtlsPeerIdentity)client.Endpoint.ConnectedPeers[0].Identity!).Certificate!.Subject;
    }
}
