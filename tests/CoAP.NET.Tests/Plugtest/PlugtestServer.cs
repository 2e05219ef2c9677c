using CoAP.NET.Testing;
using CoAP.NET.Transports;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>Our server with the resources of samples/Server, on a network and a clock of the test, and a client that says byte for byte what the test has it say.</summary>
public abstract class PlugtestServer : IAsyncLifetime
{
    private protected static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");
    private protected static readonly CoapAddress s_client = InMemoryNetwork.Address("192.0.2.2:40000");

    private readonly CoapServer _server;

    private protected PlugtestServer()
    {
        Network = new InMemoryNetwork(Clock);
        _server = new CoapServer(new CoapEndpointOptions
        {
            TimeProvider = Clock,
            Random = new VirtualRandom(5),
            TrustedPrefixes = { System.Net.IPNetwork.Parse("192.0.2.0/24") },
        });
        _server.Endpoint.AddTransport(Network.CreateTransport(s_server));
        PlugtestResources.MapTo(_server, Clock);
        Client = Network.CreatePeer(s_client, s_server);
    }

    private protected VirtualClock Clock { get; } = new();

    private protected InMemoryNetwork Network { get; }

    private protected ScriptedPeer Client { get; }

    private protected long Executed => _server.Counters[CoapCounter.RequestsReceived];

    public async Task InitializeAsync()
    {
        await _server.StartAsync();

        // Handlers that await go on on the thread that advances the clock.
        SynchronizationContext.SetSynchronizationContext(null);
    }

    public async Task DisposeAsync()
    {
        Client.Dispose();
        await _server.DisposeAsync();
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
}
