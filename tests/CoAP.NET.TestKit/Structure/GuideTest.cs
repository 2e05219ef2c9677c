using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// A server at coap://[::1] and a client, on a network in memory and in virtual time: for the snippets of the pages in docs.
/// </summary>
public abstract class GuideTest : IAsyncLifetime
{
    // As the snippets call them.
#pragma warning disable IDE1006, CA1051
    private protected readonly CoapServer server;
    private protected readonly CoapClient client;
    private protected readonly CancellationToken cancellationToken = CancellationToken.None;
#pragma warning restore IDE1006, CA1051

    private readonly InMemoryNetwork _network;

    private protected GuideTest()
    {
        _network = new InMemoryNetwork(Clock);
        server = new CoapServer(Options(1));
        client = new CoapClient(Options(2));
        client.Endpoint.AddTransport(_network.CreateTransport(InMemoryNetwork.Address("[2001:db8::2]:40000")));
    }

    private protected VirtualClock Clock { get; } = new();

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await client.DisposeAsync();
        await server.DisposeAsync();
    }

    /// <summary>Starts the server.</summary>
    private protected async Task StartAsync(string address = "[::1]:5683")
    {
        server.Endpoint.AddTransport(_network.CreateTransport(InMemoryNetwork.Address(address)));
        await server.StartAsync();
    }

    /// <summary>Lets the server join a group.</summary>
    private protected void JoinGroup(string address, string group) =>
        _network.JoinGroup(InMemoryNetwork.Address(address), InMemoryNetwork.Address(group));

    /// <summary>Lets virtual time pass until something has happened.</summary>
    private protected Task RunAsync(Func<Task> snippet) => Clock.AdvanceUntilAsync(snippet(), max: FromMinutes(5));

    private CoapEndpointOptions Options(ulong seed) => new() { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(seed) } };
}
