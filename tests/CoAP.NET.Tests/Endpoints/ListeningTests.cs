using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Names to listen on.</summary>
public sealed class ListeningTests
{
    private readonly List<string> _asked = [];

    [Fact]
    public async Task A_host_name_is_resolved_when_the_server_starts_and_all_its_addresses_are_bound()
    {
        Assert.SkipWhen(OperatingSystem.IsMacOS(), "needs all loopback addresses");
        await using CoapServer server = Make("127.0.0.1", "127.0.0.2", "127.0.0.1");
        server.MapGet("/x", () => "x");
        server.Listen("coap://box.example:0").Listen("coap://127.0.0.3:0");
        Assert.Empty(_asked);
        Assert.Empty(server.LocalEndpoints);
        await server.StartAsync();
        Assert.Equal(["box.example"], _asked);
        Assert.Equal(["127.0.0.1", "127.0.0.2", "127.0.0.3"], server.LocalEndpoints.Select(uri => uri.Host));
        await using CoapClient client = new();
        foreach (CoapUri uri in server.LocalEndpoints)
        {
            await client.GetAsync(uri.Resolve("/x")).WaitAsync(FromMinutes(2)).Says("x");
        }
    }

    [Fact]
    public async Task A_host_name_that_cannot_be_resolved_fails_the_start_and_the_start_may_be_repeated()
    {
        bool known = false;
        await using CoapServer server = new(new CoapEndpointOptions
        {
            Transports = { ResolveHost = (_, _) => known
                ? Task.FromResult(new[] { IPAddress.Loopback })
                : throw new SocketException((int)SocketError.HostNotFound) },
        });
        server.Listen("coap://127.0.0.1:0").Listen("coap://box.example:0");
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => server.StartAsync());
        error.Message.Begins("Cannot listen on 'coap://box.example:0");
        error.Mentions("or on * for all");
        known = true;
        await server.StartAsync();
        Assert.Equal(2, server.LocalEndpoints.Count);
    }

    [Fact]
    public async Task A_host_name_without_an_address_is_not_bound_to_all_addresses()
    {
        await using CoapServer server = Make();
        server.Listen("coap://box.example:0");
        await Assert.ThrowsAsync<CoapException>(() => server.StartAsync());
        Assert.Empty(server.LocalEndpoints);
    }

    [Fact]
    public async Task Cancelling_the_start_cancels_the_lookup()
    {
        using CancellationTokenSource cancel = new();
        await using CoapServer server =
            new(new CoapEndpointOptions
            {
                Transports = { ResolveHost = (_, token) => new TaskCompletionSource<IPAddress[]>().Task.WaitAsync(token) },
            });
        server.Listen("coap://box.example:0");
        Task start = server.StartAsync(cancel.Token);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => start.WaitAsync(FromMinutes(2)));
    }

    [Fact]
    public async Task A_request_before_the_start_binds_the_addresses_of_the_server()
    {
        await using CoapServer server = Make("127.0.0.1");
        server.Listen("coap://box.example:0");
        CoapRequest request = new(CoapMethod.Get, "coap://127.0.0.1:9/x") { Timeout = FromMilliseconds(1) };
        await Assert.ThrowsAnyAsync<CoapException>(() => server.Endpoint.SendAsync(request).WaitAsync(FromMinutes(2)));
        Assert.Single(server.LocalEndpoints);
        Assert.Throws<InvalidOperationException>(() => server.Listen("coap://127.0.0.1:0"));
        Assert.Throws<InvalidOperationException>(() => server.JoinGroups());
        Assert.Throws<ArgumentException>(() => server.Listen("coap://box.example/path"));
    }

    // Looked up, and not opened: another program may use the port.
    [Fact]
    [Rfc("7252-7.1-1")]
    public async Task A_server_without_an_address_listens_on_loopback_at_the_default_port_and_logs_how_to_serve_others()
    {
        ListLogger log = new();
        await using CoapServer server = new(options => options.LoggerFactory = log);
        server.Prepare();
        server.Prepare();
        CoapUri only = Assert.Single(server.Endpoint.Core.Transports.Unopened);
        Assert.Equal(("coap", "localhost", 5683), (only.Scheme, only.Host, only.Port));
        (LogLevel level, _, string text, _) = Assert.Single(log.Of(1612));
        Assert.Equal(LogLevel.Information, level);
        text.Mentions("loopback only");
        text.Ends("Call Listen, for example with coap://*:5683 for all addresses.");
    }

    [Fact]
    public async Task A_server_with_a_certificate_and_without_an_address_listens_with_TLS_on_loopback_too()
    {
        await using CoapServer server = new(options => options.Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions() });
        server.Prepare();
        Assert.Equal(
            [("coap", "localhost", 5683), ("coaps+tcp", "localhost", 5684)],
            server.Endpoint.Core.Transports.Unopened.Select(uri => (uri.Scheme, uri.Host, uri.Port)));
    }

    [Fact]
    public async Task A_server_with_an_address_of_its_own_gets_no_other()
    {
        ListLogger log = new();
        await using CoapServer server = new(options => options.LoggerFactory = log);
        server.Listen("coap://192.0.2.1");
        server.Prepare();
        Assert.Equal("192.0.2.1", Assert.Single(server.Endpoint.Core.Transports.Unopened).Host);
        Assert.Empty(log.Of(1612));
    }

    [Fact]
    public async Task Localhost_means_the_loopback_addresses_of_the_machine_without_a_lookup()
    {
        await using CoapServer server = Make("192.0.2.1");
        await server.Listen("coap://localhost:0").StartAsync();
        Assert.Equal(LoopbackAddresses.Find(), server.LocalEndpoints.Select(uri => uri.HostAddress));
        Assert.Empty(_asked);
    }

    [Fact]
    public void LoopbackAddresses_has_the_loopback_addresses_of_the_IP_versions_that_the_machine_supports()
    {
        Assert.Equal([IPAddress.Loopback, IPAddress.IPv6Loopback], LoopbackAddresses.Find(static _ => true));
        Assert.Equal([IPAddress.Loopback], LoopbackAddresses.Find(static one => one.AddressFamily == AddressFamily.InterNetwork));
        Assert.Equal([IPAddress.IPv6Loopback], LoopbackAddresses.Find(static one => one.AddressFamily == AddressFamily.InterNetworkV6));
        Assert.Equal([IPAddress.Loopback], LoopbackAddresses.Find(static _ => false));
    }

    private CoapServer Make(params string[] addresses) => new(new CoapEndpointOptions
    {
        Transports = { ResolveHost = (name, _) =>
        {
            _asked.Add(name);
            return Task.FromResult(Array.ConvertAll(addresses, IPAddress.Parse));
        } },
    });
}
