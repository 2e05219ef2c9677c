using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>
/// Our server with the resources of samples/Server, on a network and a clock of the test, and a client that says byte for byte what the
/// test has it say.
/// </summary>
public abstract class PlugtestServer : IAsyncLifetime
{
    private protected static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");
    private protected static readonly CoapAddress s_client = InMemoryNetwork.Address("192.0.2.2:40000");

    private CoapServer _server;
    private long _executed;

    private protected PlugtestServer()
    {
        Network = new InMemoryNetwork(Clock);
        _server = Create();
        Client = Network.CreatePeer(s_client, s_server);
    }

    // Numbers of notifications come round every 1,024 s; this is far from it, so that all of them have three bytes.
    private protected VirtualClock Clock { get; } = new(new DateTimeOffset(2030, 1, 1, 0, 5, 0, TimeSpan.Zero));

    private protected InMemoryNetwork Network { get; }

    private protected ScriptedPeer Client { get; }

    /// <summary>How many requests were handed to resources.</summary>
    private protected long Executed => Volatile.Read(ref _executed);

    private protected int Observers => _server.ObserverCount;

    /// <summary>Confirmable messages that wait for their acknowledgement.</summary>
    private protected int Outstanding => _server.Endpoint.Pipelines[0].Messages.Outstanding;

    public async ValueTask InitializeAsync()
    {
        await _server.StartAsync();

        // Handlers that await go on on the thread that advances the clock.
        SynchronizationContext.SetSynchronizationContext(null);
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _server.DisposeAsync();
    }

    /// <summary>Switches the server off and on: it forgets everything.</summary>
    private protected async Task RestartAsync()
    {
        await _server.DisposeAsync();
        _server = Create();
        await InitializeAsync();
    }

    /// <summary>Sends a request and holds the response against a pattern.</summary>
    private protected ReceivedDatagram Exchange(string request, string response)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        Client.Send(request);
        ReceivedDatagram received = Client.Expect(response);
        Client.ExpectNothing();
        return received;
    }

    /// <summary>Changes the endpoint of the server.</summary>
    private protected virtual void Configure(CoapEndpointOptions options)
    {
    }

    private CoapServer Create()
    {
        CoapEndpointOptions options = new() { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(5) } };
        Configure(options);

        // How large answers to strangers may be is no matter of these tests.
        options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("192.0.2.0/24"));
        options.Pipeline.Insert(CoapStageLinks.ExchangesToResource,
            () => new PassBlock<CoapExchange>(exchange => _executed += exchange.Received is null ? 0 : 1));
        CoapServer server = new(options);
        server.Endpoint.AddTransport(Network.CreateTransport(s_server));
        PlugtestResources.MapTo(server, Clock);
        return server;
    }
}
