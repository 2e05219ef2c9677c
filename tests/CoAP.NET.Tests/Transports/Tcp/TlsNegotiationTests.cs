using System.Net;
using System.Net.Security;
using System.Reflection;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Limits;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

// ALPN and names (RFC 8323 sections 8.2 and 8.5), and what handshakes may cost.
public class TlsNegotiationTests : TlsTest
{
    [Fact]
    [Rfc("8323-8.2-1", "8323-8.2-2")]
    public async Task The_server_negotiates_coap_by_ALPN()
    {
        await ListenWithTlsAsync();

        await using AsyncPeer peer = await ConnectTlsPeerAsync(protocols: ["http/1.1", "coap"]);

        Assert.Equal("coap", ((SslStream)peer.Stream).NegotiatedApplicationProtocol.ToString());
        await Context.NextOpenedAsync();
    }

    [Fact]
    [Rfc("8323-8.2-2")]
    public async Task A_client_that_offers_no_protocol_is_refused_on_another_port()
    {
        await ListenWithTlsAsync();

        await using AsyncPeer peer = await ConnectTlsPeerAsync(protocols: []);

        Assert.Empty(await peer.ReceiveToEndAsync());
        await UntilAsync(() => Context.Counters[CoapCounter.HandshakesFailed] == 1);
        Assert.Equal(0, Context.Closes);
    }

    [Fact]
    [Rfc("8323-8.2-2")]
    public async Task A_client_that_offers_other_protocols_only_is_refused()
    {
        await ListenWithTlsAsync();

        await Assert.ThrowsAnyAsync<Exception>(() => ConnectTlsPeerAsync(protocols: ["http/1.1"]));

        await UntilAsync(() => Context.Counters[CoapCounter.HandshakesFailed] == 1);
    }

    [Fact]
    [Rfc("8323-8.2-1", "8323-8.2-3", "8323-8.2-6")]
    public async Task A_client_that_offers_no_protocol_is_served_on_the_port_of_coaps()
    {
        Options.UseTls = true;
        Options.Tls = new CoapTlsOptions
        {
            Server = new SslServerAuthenticationOptions { ServerCertificate = Certificates.Server(["localhost"]) }
        };

        // The option needs the number before the listener is bound.
        Options.TlsPort = LoopbackPort.FindFree();
        Options.Endpoints.Clear();
        Options.Endpoints.Add(new IPEndPoint(IPAddress.Loopback, Options.TlsPort));
        await StartAsync();

        await using AsyncPeer peer = await ConnectTlsPeerAsync(protocols: []);
        await Context.NextOpenedAsync();
        await peer.SendAsync("00e1");

        Assert.Equal("00e1", await Context.NextFrameAsync());
    }

    [Fact]
    [Rfc("8323-8.2-1")]
    public async Task A_client_closes_when_the_server_negotiates_no_ALPN_protocol()
    {
        (CoapAddress address, Task<AsyncPeer> accepted) = await ListenAsOthersDoAsync(protocol: null);

        CoapConnectionException exception = await FailToConnectAsync(address: address);

        exception.Mentions("ALPN");
        await using AsyncPeer peer = await Within(accepted);
        Assert.Empty(await peer.ReceiveToEndAsync());
    }

    [Fact]
    [Rfc("8323-8.2-1", "8323-8.2-6")]
    public async Task A_client_accepts_a_server_without_ALPN_on_the_coaps_port()
    {
        (CoapAddress address, Task<AsyncPeer> accepted) = await ListenAsOthersDoAsync(protocol: null);

        CoapConnection connection = await ConnectOursAsync(tlsPort: address.Port, address: address);
        await using AsyncPeer peer = await Within(accepted);
        connection.Send(AsyncContext.Frame("00e1"));

        await peer.ExpectAsync("00e1");
    }

    [Fact]
    [Rfc("8323-8.2-4")]
    public async Task A_client_offers_coap_by_ALPN_on_the_coaps_port_too()
    {
        (CoapAddress address, Task<AsyncPeer> accepted) = await ListenAsOthersDoAsync("coap");

        await ConnectOursAsync(tlsPort: address.Port, address: address);

        await using AsyncPeer peer = await Within(accepted);
        Assert.Equal("coap", ((SslStream)peer.Stream).NegotiatedApplicationProtocol.ToString());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("8323-8.2-1", "8323-8.2-5")]
    public async Task A_client_fails_when_the_server_supports_only_other_ALPN_protocols(bool isOnCoapsPort)
    {
        (CoapAddress address, Task<AsyncPeer> accepted) = await ListenAsOthersDoAsync("http/1.1");

        CoapConnectionException exception = await FailToConnectAsync(tlsPort: isOnCoapsPort ? address.Port : 5684, address: address);

        exception.Mentions("does not speak coap by ALPN");
        await Assert.ThrowsAnyAsync<Exception>(() => Within(accepted));
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task SelectServer_chooses_the_certificate_by_server_name()
    {
        X509Certificate2 first = Certificates.Server(["one.example"]);
        X509Certificate2 second = Certificates.Server(["two.example"]);
        ServerTls.SelectServer = (_, hello, _, _) =>
            ValueTask.FromResult(
                new SslServerAuthenticationOptions { ServerCertificate = hello.ServerName == "two.example" ? second : first });
        await ListenWithTlsAsync();

        CoapConnection one = await ConnectOursAsync("one.example");
        CoapConnection atOne = await Context.NextOpenedAsync();
        CoapConnection two = await ConnectOursAsync("two.example");
        CoapConnection atTwo = await Context.NextOpenedAsync();

        Assert.Equal("CN=one.example", ((CoapTlsPeerIdentity)one.Identity!).Certificate!.Subject);
        Assert.Equal("CN=two.example", ((CoapTlsPeerIdentity)two.Identity!).Certificate!.Subject);
        Assert.Equal(("one.example", "two.example"), (atOne.ServerName, atTwo.ServerName));
    }

    [Fact]
    public async Task A_throwing_SelectServer_fails_only_its_own_handshake()
    {
        ServerTls.SelectServer = static (_, hello, _, _) => hello.ServerName == "bad.example"
            ? throw new InvalidOperationException("no")
            : ValueTask.FromResult<SslServerAuthenticationOptions>(null!);
        await ListenWithTlsAsync();

        await Assert.ThrowsAnyAsync<Exception>(() => ConnectTlsPeerAsync("bad.example"));
        await using AsyncPeer peer = await ConnectTlsPeerAsync();

        await Context.NextOpenedAsync();
        await UntilAsync(() => Context.Counters[CoapCounter.HandshakesFailed] == 1);
    }

    [Fact]
    public async Task Silent_handshakes_end_after_HandshakeTimeout()
    {
        await ListenWithTlsAsync();
        List<AsyncPeer> silent = [];
        for (int i = 0; i < 10; i++)
        {
            silent.Add(await AsyncPeer.ConnectAsync(Address));
        }

        // One of them has begun to speak.
        await silent[0].SendAsync("160301");
        await UntilAsync(() => Clock.TimerCount == 10);
        await using (AsyncPeer peer = await ConnectTlsPeerAsync())
        {
            await Context.NextOpenedAsync();
        }

        Clock.Advance(FromSeconds(10));

        foreach (AsyncPeer peer in silent)
        {
            Assert.Empty(await peer.ReceiveToEndAsync());
            await peer.DisposeAsync();
        }

        await UntilAsync(() => Context.Counters[CoapCounter.HandshakesFailed] == 10);
    }

    [Theory]
    [InlineData(1, "")]
    [InlineData(4, "")]
    [InlineData(1, "160301")]
    [InlineData(4, "160301")]
    public async Task Stalled_handshakes_of_some_addresses_do_not_block_other_addresses(int sources, string said)
    {
        const int Each = 10;
        Context.Limits.Connections.MaxHandshakes = 16;
        Context.Limits.Connections.MaxHandshakesPerSource = 8;
        await ListenWithTlsAsync();
        List<AsyncPeer> held = [];
        for (int i = 0; i < sources * Each; i++)
        {
            AsyncPeer peer = await AsyncPeer.ConnectAsync(Address, from: IPAddress.Parse($"127.0.0.{2 + (i % sources)}"));
            held.Add(peer);
            await peer.SendAsync(said);
        }

        int gone = Math.Max(sources * Each - 16, sources * (Each - 8));
        await UntilAsync(() => Context.Counters[CoapCounter.ConnectionsEvicted] + Context.Counters[CoapCounter.ConnectionsRefused] >= gone);
        await using AsyncPeer honest = await ConnectTlsPeerAsync();
        CoapConnection connection = await Context.NextOpenedAsync();
        Assert.Equal(IPAddress.Loopback, connection.Remote.ToIPAddress());
        Assert.Equal(0, Context.Counters[CoapCounter.HandshakesFailed]);
        foreach (AsyncPeer peer in held)
        {
            await peer.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_silent_connection_above_MaxHandshakesPerSource_evicts_the_oldest_of_its_address()
    {
        Context.Limits.Connections.MaxHandshakesPerSource = 2;
        await ListenWithTlsAsync();
        await using AsyncPeer first = await AsyncPeer.ConnectAsync(Address);
        await UntilAsync(() => Clock.TimerCount == 1);
        await using AsyncPeer second = await AsyncPeer.ConnectAsync(Address);
        await UntilAsync(() => Clock.TimerCount == 2);

        await using AsyncPeer third = await AsyncPeer.ConnectAsync(Address);

        Assert.Empty(await first.ReceiveToEndAsync());
        await UntilAsync(() => Context.Counters[CoapCounter.ConnectionsEvicted] == 1);
        Assert.Equal(0, Context.Counters[CoapCounter.ConnectionsRefused]);
        await using AsyncPeer fourth = await ConnectTlsPeerAsync();
        await Context.NextOpenedAsync();
    }

    [Fact]
    public void The_TLS_options_are_copied_completely()
    {
        if (!OperatingSystem.IsLinux())
        {
            Assert.Skip("needs TLS options of Linux");
            return; // for the analyzer of platforms
        }

        AssertCopied(
            new SslServerAuthenticationOptions
            {
                AllowRenegotiation = true,
                AllowRsaPkcs1Padding = false,
                AllowRsaPssPadding = false,
                AllowTlsResume = false,
                ApplicationProtocols = [SslApplicationProtocol.Http2],
                CertificateChainPolicy = Certificates.Trust(),
                CertificateRevocationCheckMode = X509RevocationMode.Offline,
                CipherSuitesPolicy = new CipherSuitesPolicy([TlsCipherSuite.TLS_AES_128_GCM_SHA256]),
                ClientCertificateRequired = true,
                EnabledSslProtocols = SslProtocols.Tls13,
                RemoteCertificateValidationCallback = static (_, _, _, errors) => errors == SslPolicyErrors.None,
                ServerCertificate = Certificates.Server(["localhost"]),
                ServerCertificateContext = SslStreamCertificateContext.Create(Certificates.Server(["localhost"]), null, offline: true),
                ServerCertificateSelectionCallback = static (_, _) => null!,
            },
            TlsOptionsCopier.Of);
        AssertCopied(
            new SslClientAuthenticationOptions
            {
                AllowRenegotiation = false,
                AllowRsaPkcs1Padding = false,
                AllowRsaPssPadding = false,
                AllowTlsResume = false,
                ApplicationProtocols = [SslApplicationProtocol.Http2],
                CertificateChainPolicy = Certificates.Trust(),
                CertificateRevocationCheckMode = X509RevocationMode.Offline,
                CipherSuitesPolicy = new CipherSuitesPolicy([TlsCipherSuite.TLS_AES_128_GCM_SHA256]),
                ClientCertificateContext = SslStreamCertificateContext.Create(Certificates.Client("a"), null, offline: true),
                ClientCertificates = [Certificates.Client("b")],
                EnabledSslProtocols = SslProtocols.Tls13,
                LocalCertificateSelectionCallback = static (_, _, _, _, _) => null!,
                RemoteCertificateValidationCallback = static (_, _, _, errors) => errors == SslPolicyErrors.None,
                TargetHost = "localhost",
            },
            TlsOptionsCopier.Of);
    }

    [Fact]
    public async Task Renegotiation_is_always_off()
    {
        TlsSettings settings = new(new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions { AllowRenegotiation = true },
            Server = new SslServerAuthenticationOptions
            {
                AllowRenegotiation = true,
                ServerCertificate = Certificates.Server(["localhost"]),
            },
        });
        using ConnectProgressTable.Opening opening = new ConnectProgressTable().Begin(default, "localhost");

        Assert.False((await settings.SelectAsync(null!, default, new TlsClientCertificateCheck(), default)).AllowRenegotiation);
        Assert.False(
            settings.ForServer("localhost", new TlsServerCertificateCheck(opening, CoapTimeoutStep.TlsHandshake)).AllowRenegotiation);
    }

    [Fact]
    public async Task Changes_to_the_TLS_options_after_the_start_have_no_effect()
    {
        SslServerAuthenticationOptions server = new() { ServerCertificate = Certificates.Server(["localhost"]) };
        await ListenWithTlsAsync(server);
        server.ServerCertificate = null;
        server.ApplicationProtocols = [SslApplicationProtocol.Http2];
        ServerTls.Server = null;

        await using AsyncPeer peer = await ConnectTlsPeerAsync();

        await Context.NextOpenedAsync();
    }

    // Every property differs from its default, so that one that is forgotten shows.
    private static void AssertCopied<T>(T original, Func<T, T> copy)
        where T : new()
    {
        T made = copy(original);
        T fresh = new();
        foreach (PropertyInfo property in typeof(T).GetProperties()
            .Where(property => property.CanWrite && property.Name != "EncryptionPolicy"))
        {
            object? value = property.GetValue(original);
            Assert.NotEqual(property.GetValue(fresh), value);
            Assert.Equivalent(value is X509ChainPolicy policy ? policy.CustomTrustStore.Count : value,
                property.GetValue(made) is X509ChainPolicy other ? other.CustomTrustStore.Count : property.GetValue(made));
        }
    }
}

/// <summary>The same over the platform's asynchronous sockets.</summary>
public sealed class TlsNegotiationAsyncTests : TlsNegotiationTests
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Portable;
}
