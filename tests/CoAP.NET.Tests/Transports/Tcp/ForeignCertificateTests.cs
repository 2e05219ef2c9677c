using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.WebSockets;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Certificates of authorities that nobody trusts: what stands in them is neither fetched nor shown as it is.</summary>
public sealed class ForeignCertificateTests : TlsTest
{
    private readonly TlsCertificates _others = new("CN=Other CA");
    private readonly IssuerTrap _trap = new();

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _trap.Dispose();
        _others.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_server_fetches_no_URL_of_a_foreign_client_certificate(bool hasPolicy)
    {
        await ListenWithTlsAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = Certificates.Server(["localhost"]),
            ClientCertificateRequired = true,
            CertificateChainPolicy = hasPolicy ? Certificates.Trust() : null,
        });

        await ShowToServerAsync(_others.Client("mallory", _trap.Url));

        Assert.False(_trap.WasVisited);
    }

    [Fact]
    public async Task A_server_with_SelectServer_fetches_no_URL_of_a_foreign_client_certificate()
    {
        ServerTls.SelectServer = (_, _, _, _) => ValueTask.FromResult(new SslServerAuthenticationOptions
        {
            ServerCertificate = Certificates.Server(["localhost"]),
            ClientCertificateRequired = true,
            CertificateChainPolicy = Certificates.Trust(),
        });
        await ListenWithTlsAsync();

        await ShowToServerAsync(_others.Client("mallory", _trap.Url));

        Assert.False(_trap.WasVisited);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_fetches_no_URL_of_a_foreign_server_certificate(bool hasPolicy)
    {
        await ListenWithTlsAsync(
            new SslServerAuthenticationOptions { ServerCertificate = _others.Server(["localhost"], issuerAt: _trap.Url) });

        await FailToConnectAsync(
            client: new SslClientAuthenticationOptions { CertificateChainPolicy = hasPolicy ? Certificates.Trust() : null });

        Assert.False(_trap.WasVisited);
    }

    [Fact]
    public async Task A_WebSocket_client_fetches_no_URL_of_a_foreign_server_certificate()
    {
        await ListenWithTlsAsync(
            new SslServerAuthenticationOptions { ServerCertificate = _others.Server(["localhost"], issuerAt: _trap.Url) });
        await using CoapWebSocketTransport client = new(new CoapWebSocketTransportOptions { UseTls = true });
        await client.StartAsync(ClientContext, CancellationToken.None);

        await Assert.ThrowsAsync<CoapConnectionException>(
            () => Within(client.ConnectAsync(Address, "localhost", CancellationToken.None).AsTask()));

        Assert.False(_trap.WasVisited);
    }

    [Fact]
    public async Task A_client_that_the_certificate_context_trusts_is_accepted_and_other_clients_are_not()
    {
        SslCertificateTrust trust = SslCertificateTrust.CreateForX509Collection([Certificates.Authority]);
        await ListenWithTlsAsync(new SslServerAuthenticationOptions
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(Certificates.Server(["localhost"]), null, offline: true, trust),
            ClientCertificateRequired = true,
        });

        await ConnectOursAsync(client: new SslClientAuthenticationOptions
        {
            CertificateChainPolicy = Certificates.Trust(),
            ClientCertificates = [Certificates.Client("ann")]
        });
        CoapConnection known = await Context.NextOpenedAsync();
        await ShowToServerAsync(_others.Client("mallory", _trap.Url));

        Assert.Equal("CN=ann", Assert.IsType<CoapTlsPeerIdentity>(known.Identity).Certificate!.Subject);
        Assert.False(_trap.WasVisited);
    }

    [Fact]
    public async Task The_subject_of_a_certificate_is_shown_without_its_control_characters()
    {
        X500DistinguishedNameBuilder subject = new();
        subject.AddCommonName("you are\n\u001b[2Jroot\u202e");
        await ListenWithTlsAsync(
            new SslServerAuthenticationOptions { ServerCertificate = _others.Server(["localhost"], subject: subject.Build()) });

        CoapConnectionException exception =
            await FailToConnectAsync(client: new SslClientAuthenticationOptions { CertificateChainPolicy = Certificates.Trust() });

        exception.Mentions("you are");
        Assert.DoesNotContain(exception.Message, static c => char.IsControl(c) || c == '\u202e');
    }

    /// <summary>Has a client show a certificate that the server refuses.</summary>
    private async Task ShowToServerAsync(X509Certificate2 certificate)
    {
        try
        {
            await ConnectOursAsync(client: new SslClientAuthenticationOptions
            {
                CertificateChainPolicy = Certificates.Trust(),

                // Otherwise the platform would fetch the issuer of the client's own certificate, for the client.
                ClientCertificateContext = SslStreamCertificateContext.Create(certificate, null, offline: true),
            });
        }
        catch (CoapConnectionException)
        {
            // With TLS 1.2 the client sees at once that it is refused.
        }

        await UntilAsync(() => Context.Counters[CoapCounter.HandshakesFailed] == 1);
    }
}
