using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Tcp;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Transports.Tcp;

// RFC 8323 section 8.2 and chapter 9: what happens in handshakes, and after them.
public class TlsTests : TlsTest
{
    private readonly ListLogger _log = new();

    [Fact]
    public async Task Frames_pass_over_TLS_in_pieces_of_any_size()
    {
        await ListenWithTlsAsync();
        await using AsyncPeer peer = await ConnectTlsPeerAsync();
        CoapConnection connection = await Context.NextOpenedAsync();
        foreach (byte one in Wire.Hex("00e12101aab1780000"))
        {
            await peer.SendAsync(new[] { one });
        }

        Assert.Equal("00e1", await Context.NextFrameAsync());
        Assert.Equal("2101aab178", await Context.NextFrameAsync());
        Assert.Equal("0000", await Context.NextFrameAsync());
        byte[] large = AsyncIOConnectionTests.Frame(1_000_000);
        connection.Send(AsyncContext.Frame(large));
        Assert.Equal(large, await peer.ReceiveAsync(large.Length));
        await peer.SendAsync(large);
        Assert.Equal(Wire.Hex(large), await Context.NextFrameAsync());
        Assert.Equal("coaps+tcp", Transport.Scheme);
    }

    [Fact]
    public async Task The_last_frame_is_followed_by_close_notify()
    {
        await ListenWithTlsAsync();
        await using AsyncPeer peer = await ConnectTlsPeerAsync();
        CoapConnection connection = await Context.NextOpenedAsync();

        connection.Send(AsyncContext.Frame("00e5", isLast: true));

        Assert.Equal("00e5", Wire.Hex(await peer.ReceiveToEndAsync()));
        Assert.Null((await Context.NextClosedAsync()).Error);
    }

    [Fact]
    public async Task A_stopping_server_sends_close_notify()
    {
        await ListenWithTlsAsync();
        await using AsyncPeer peer = await ConnectTlsPeerAsync();
        await Context.NextOpenedAsync();

        await Within(Transport.DisposeAsync().AsTask());

        Assert.Empty(await peer.ReceiveToEndAsync());
        Assert.Null((await Context.NextClosedAsync()).Error);
    }

    [Fact]
    [Rfc("8323-9.1-1")]
    public async Task Both_ends_see_the_certificate_of_the_peer()
    {
        await ListenWithTlsAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = Certificates.Server(["localhost"]),
            ClientCertificateRequired = true,
            CertificateChainPolicy = Certificates.Trust(),
        });
        CoapConnection ours = await ConnectOursAsync(client: new SslClientAuthenticationOptions
        {
            CertificateChainPolicy = Certificates.Trust(),
            ClientCertificates = [Certificates.Client("device-7")],
        });
        CoapConnection theirs = await Context.NextOpenedAsync();

        CoapTlsPeerIdentity client = Assert.IsType<CoapTlsPeerIdentity>(theirs.Identity);
        Assert.Equal("CN=device-7", client.Certificate!.Subject);
        Assert.Equal("localhost", client.ServerName);
        Assert.Equal("localhost", theirs.ServerName);
        Assert.True(client.Protocol is SslProtocols.Tls12 or SslProtocols.Tls13);
        CoapTlsPeerIdentity server = Assert.IsType<CoapTlsPeerIdentity>(ours.Identity);
        Assert.Equal("CN=localhost", server.Certificate!.Subject);
        Assert.Equal("localhost", ours.ServerName);
        ours.Send(AsyncContext.Frame("00e1"));
        Assert.Equal("00e1", await Context.NextFrameAsync());
        theirs.Send(AsyncContext.Frame("00e2"));
        Assert.Equal("00e2", await ClientContext.NextFrameAsync());

        ours.Close(null);
        await Context.NextEndedAsync();
        theirs.Close(null);

        await UntilAsync(() => client.Certificate.Handle == 0);
    }

    [Fact]
    public async Task A_server_refuses_an_untrusted_client_certificate_and_both_ends_report_the_reason()
    {
        using TlsCertificates others = new("CN=Other CA");
        await ListenWithTlsAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = Certificates.Server(["localhost"]),
            ClientCertificateRequired = true,
            CertificateChainPolicy = Certificates.Trust(),
        });

        // Where TLS is 1.3 the client learns it after its own part is done.
        Exception? error;
        try
        {
            await ConnectOursAsync(client: new SslClientAuthenticationOptions
            {
                CertificateChainPolicy = Certificates.Trust(),
                ClientCertificates = [others.Client("mallory")]
            });
            error = (await ClientContext.NextClosedAsync()).Error;
        }
        catch (CoapConnectionException exception)
        {
            error = exception;
        }

        CoapConnectionException failure = Assert.IsType<CoapConnectionException>(error);
        Assert.Equal(CoapError.HandshakeFailed, failure.Error);
        failure.Mentions("CoapTlsOptions.Client.ClientCertificates");
        await UntilAsync(() => _log.Entries.Any(static entry => entry.Id == 1026));
        Assert.Equal((1, 1), (Context.Counters[CoapCounter.HandshakesFailed], Context.Counters[CoapCounter.CertificatesRefused]));
        Assert.Equal(0, Context.Closes);
        (LogLevel level, _, string text, _) = Assert.Single(_log.Entries, static entry => entry.Id == 1026);
        Assert.Equal(LogLevel.Information, level);
        text.Mentions("which claimed the identity 'CN=mallory', failed: the certificate of the client is not trusted");
    }

    [Fact]
    public async Task A_missing_client_certificate_and_a_throwing_callback_have_their_own_error_texts()
    {
        bool throws = false;
        ServerTls.SelectServer = (_, _, _, _) => throws
            ? throw new TimeZoneNotFoundException("down")
            : ValueTask.FromResult<SslServerAuthenticationOptions>(null!);
        await ListenWithTlsAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = Certificates.Server(["localhost"]),
            ClientCertificateRequired = true,
            CertificateChainPolicy = Certificates.Trust(),
        });
        SslClientAuthenticationOptions client = new() { CertificateChainPolicy = Certificates.Trust() };
        await Assert.ThrowsAnyAsync<Exception>(async () =>
        {
            await ConnectOursAsync(client: client);
            throw (await ClientContext.NextClosedAsync()).Error!;
        });
        await UntilAsync(() => Context.Counters[CoapCounter.CertificatesMissing] == 1);
        throws = true;
        for (int i = 0; i < 3; i++)
        {
            await Assert.ThrowsAnyAsync<Exception>(() => ConnectOursAsync(client: client));
        }

        // A thread counts before it logs.
        await UntilAsync(() => Context.Counters[CoapCounter.HandshakeCallbackFailures] == 3
            && _log.Entries.Any(static entry => entry.Id == 1027));
        (LogLevel level, _, string text, _) = Assert.Single(_log.Entries, static entry => entry.Id == 1027);
        Assert.Equal(LogLevel.Error, level);
        text.Begins("TLS: CoapTlsOptions.SelectServer threw an exception");
        Assert.Equal(4, Context.Counters[CoapCounter.HandshakesFailed]);
    }

    [Fact]
    public async Task A_client_shows_the_certificate_that_is_chosen_for_each_connection()
    {
        await ListenWithTlsAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = Certificates.Server(["localhost"]),
            ClientCertificateRequired = true,
            CertificateChainPolicy = Certificates.Trust(),
        });
        X509Certificate2 certificate = Certificates.Client("old");
        CoapTcpTransport transport = new(new CoapTcpTransportOptions
        {
            UseTls = true,
            Tls = new CoapTlsOptions
            {
                SelectClient = host => host == "localhost"
                    ? new() { CertificateChainPolicy = Certificates.Trust(), ClientCertificates = [certificate] }
                    : null,
            },
        });
        await transport.StartAsync(ClientContext, CancellationToken.None);
        await Within(transport.ConnectAsync(Address, "localhost", CancellationToken.None).AsTask());
        CoapConnection first = await Context.NextOpenedAsync();
        certificate = Certificates.Client("new");

        await Within(transport.ConnectAsync(Address, "localhost", CancellationToken.None).AsTask());

        CoapConnection second = await Context.NextOpenedAsync();
        Assert.Equal(["CN=old", "CN=new"],
            new[] { first, second }.Select(static one => ((CoapTlsPeerIdentity)one.Identity!).Certificate!.Subject));
        await transport.DisposeAsync();
    }

    [Fact]
    [Rfc("8323-9-1")]
    public async Task A_server_whose_authority_is_not_trusted_is_refused()
    {
        await ListenWithTlsAsync();

        CoapConnectionException exception = await FailToConnectAsync(client: new SslClientAuthenticationOptions());

        exception.Mentions("does not trust its issuer");
    }

    [Fact]
    public async Task A_server_with_another_name_is_refused()
    {
        await ListenWithTlsAsync();

        CoapConnectionException exception = await FailToConnectAsync("other.example");

        exception.Mentions("CN=localhost, is not for the name 'other.example'");
    }

    [Fact]
    public async Task A_server_whose_certificate_has_expired_is_refused()
    {
        await ListenWithTlsAsync(
            new SslServerAuthenticationOptions { ServerCertificate = Certificates.Server(["localhost"], isExpired: true) });

        CoapConnectionException exception = await FailToConnectAsync();

        exception.Mentions("has expired");
    }

    [Fact]
    public async Task A_server_certificate_without_the_requested_IP_address_is_refused()
    {
        await ListenWithTlsAsync(new SslServerAuthenticationOptions { ServerCertificate = Certificates.Server(["localhost"]) });

        CoapConnectionException exception = await FailToConnectAsync(null);

        exception.Mentions("is not for the name '127.0.0.1'");
    }

    [Fact]
    public async Task A_server_certificate_with_the_requested_IP_address_is_trusted()
    {
        await ListenWithTlsAsync();

        CoapConnection connection = await ConnectOursAsync(null);

        Assert.Null(connection.ServerName);
        Assert.Null((await Context.NextOpenedAsync()).ServerName);
    }

    [Fact]
    public async Task An_error_of_a_server_refused_by_the_validation_callback_names_the_callback()
    {
        await ListenWithTlsAsync();

        CoapConnectionException exception = await FailToConnectAsync(client: new SslClientAuthenticationOptions
        {
            CertificateChainPolicy = Certificates.Trust(),
            RemoteCertificateValidationCallback = static (_, _, _, _) => false,
        });

        exception.Mentions("RemoteCertificateValidationCallback");
    }

    [Fact]
    public async Task A_server_that_never_answers_the_handshake_fails_with_HandshakeTimeout()
    {
        // Backlog only: it connects, and nobody answers.
        using System.Net.Sockets.Socket silent = new(System.Net.Sockets.AddressFamily.InterNetwork, System.Net.Sockets.SocketType.Stream,
            System.Net.Sockets.ProtocolType.Tcp);
        silent.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
        silent.Listen();
        Task<CoapConnectionException> failing =
            FailToConnectAsync(address: CoapAddress.FromIPEndPoint((System.Net.IPEndPoint)silent.LocalEndPoint!));
        using System.Net.Sockets.Socket accepted = await Within(silent.AcceptAsync());
        byte[] hello = new byte[1];
        await Within(accepted.ReceiveAsync(hello));

        Clock.Advance(FromSeconds(10));

        (await Within(failing)).Mentions("HandshakeTimeout");
    }

    [Fact]
    public void A_TLS_server_without_a_certificate_is_refused()
    {
        CoapTcpTransportOptions options = new()
        {
            UseTls = true,
            Endpoints = { new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0) }
        };

        ArgumentException exception = Assert.Throws<ArgumentException>(() => new CoapTcpTransport(options));

        exception.Mentions("CoapTlsOptions.Server.ServerCertificate");
    }

    private protected override AsyncContext MakeContext() => new() { Time = Clock, Log = _log };
}

/// <summary>The same over the platform's asynchronous sockets.</summary>
public sealed class TlsAsyncTests : TlsTests
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Portable;
}
