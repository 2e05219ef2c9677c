using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Connections;

// What the other tests show by hex, once over real sockets: an endpoint listens by its URI, another one asks it.
public sealed class ClientOverTcpTests : IAsyncLifetime
{
    private readonly CoapServer _server;
    private readonly CoapClient _client;
    private readonly CoapEndpointOptions _serverOptions = new();
    private readonly CoapEndpointOptions _clientOptions = new();
    private readonly TlsCertificates _certificates = new();

    public ClientOverTcpTests()
    {
        _serverOptions.Tls = new CoapTlsOptions
        {
            Server = new SslServerAuthenticationOptions { ServerCertificate = _certificates.Server(["localhost", "127.0.0.1"]) }
        };
        _clientOptions.Tls = new CoapTlsOptions
        {
            Client = new SslClientAuthenticationOptions { CertificateChainPolicy = _certificates.Trust() }
        };
        _clientOptions.Transports.Streams.ReconnectDelay = FromMilliseconds(1);
        _clientOptions.Transports.ResolveHost = static (_, _) => Task.FromResult(new[] { IPAddress.Loopback });
        _server = new CoapServer(_serverOptions);
        _client = new CoapClient(_clientOptions);
    }

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
        _certificates.Dispose();
    }

    [Theory]
    [InlineData("coap+tcp")]
    [InlineData("coaps+tcp")]
    public async Task Requests_are_answered_over_one_connection(string scheme)
    {
        _server.MapGet("/x", static () => CoapResults.Text("hi"));
        string uri = await StartAsync(scheme);

        for (int i = 0; i < 3; i++)
        {
            await Within(_client.GetAsync(uri + "/x")).Says("hi");
        }

        Assert.Equal(1, _server.Counters[CoapCounter.ConnectionsAccepted]);
        Assert.Equal(1, _client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        await Within(_client.PingAsync(uri));
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task Uri_Host_is_omitted_when_TLS_carries_the_server_name()
    {
        string? host = "unknown";
        _server.MapGet("/x", (CoapRequestContext request, CancellationToken _) =>
        {
            host = request.Options.UriHost;
            return Task.FromResult(CoapResults.Text("hi"));
        });
        string uri = await StartAsync("coaps+tcp");

        await Within(_client.GetAsync(uri.Replace("127.0.0.1", "localhost", Ordinal) + "/x"));

        Assert.Null(host);
    }

    [Theory]
    [InlineData("coap+tcp")]
    [InlineData("coaps+tcp")]
    public async Task A_server_can_send_requests_to_a_device_that_merely_connected(string scheme)
    {
        TaskCompletionSource<CoapPeer> device = new(RunContinuationsAsynchronously);
        _server.Endpoint.PeerConnected += (_, peer) => device.TrySetResult(peer);
        string uri = await StartAsync(scheme);
        _client.Endpoint.Routes.Root.MapGet("/3/0", static () => CoapResults.Text("device"));

        await Within(_client.PingAsync(uri));

        CoapPeer peer = await Within(device.Task);
        await Within(peer.GetAsync("/3/0")).Says("device");
        Assert.True(peer.IsConnected);
    }

    [Theory]
    [InlineData("coap+tcp")]
    [InlineData("coaps+tcp")]
    public async Task After_the_server_ended_the_connection_requests_and_observations_use_a_new_one(string scheme)
    {
        string text = "1";
        CoapRouteHandlerBuilder route = _server.MapGet("/x", () => CoapResults.Text(text)).Observable();
        string uri = await StartAsync(scheme);
        await using CoapObservation observation = await Within(_client.ObserveAsync(uri + "/x"));
        using SemaphoreSlim changed = new(0);
        observation.StateChanged += (_, _) => changed.Release();

        await Within(Assert.Single(_server.Endpoint.ConnectedPeers).ReleaseAsync());
        await Within(_client.GetAsync(uri + "/x")).Says("1");
        while (observation.State != CoapObserveState.Observing || _server.ObserverCount != 1)
        {
            Assert.True(await changed.WaitAsync(FromMinutes(2)));
        }

        Assert.Equal(2, _client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        text = "2";
        route.Notify();
        await foreach (CoapResponse response in observation.ReadAllAsync())
        {
            if (response.GetText() == "2")
            {
                break;
            }
        }
    }

    [Theory]
    [InlineData("coap+tcp")]
    [InlineData("coaps+tcp")]
    public async Task A_failed_connection_names_the_address_that_refused_it(string scheme)
    {
        using Socket unused = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        unused.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        string uri = $"{scheme}://{unused.LocalEndPoint}";

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(_client.GetAsync(uri + "/x")));

        Assert.Equal(CoapError.ConnectFailed, error.Error);
        error.Mentions(uri);
        Assert.Equal(1, _client.Endpoint.Counters[CoapCounter.ConnectionsFailed]);
    }

    private async Task<string> StartAsync(string scheme)
    {
        _server.Listen($"{scheme}://127.0.0.1:0");
        await _server.StartAsync();
        return Assert.Single(_server.LocalEndpoints).Origin();
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));

    private static Task Within(Task task) => task.WaitAsync(FromMinutes(2));
}
