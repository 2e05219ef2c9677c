namespace CoAP.NET.Testing;

/// <summary>A server and a client on an in-memory network in virtual time: an hour of retransmissions takes no real time.</summary>
/// <remarks>It opens no socket. Map routes, start the pair, and let time pass with <see cref="RunAsync{T}"/>.</remarks>
public sealed class CoapEndpointPair : IAsyncDisposable
{
    /// <summary>The base URI of the server.</summary>
    public const string Address = "coap://[2001:db8::1]:5683";

    private const string ServerAddress = "[2001:db8::1]:5683";
    private const string ClientAddress = "[2001:db8::2]:49152";

    /// <summary>Creates a pair. Sends nothing yet.</summary>
    /// <param name="server">Changes the options of the server; null for the defaults. Clock and entropy are those of the pair.</param>
    /// <param name="client">Changes the options of the client; null for the defaults.</param>
    /// <param name="network">Loss, delay and seed; null for a network without faults.</param>
    public CoapEndpointPair(Action<CoapEndpointOptions>? server = null, Action<CoapEndpointOptions>? client = null,
        InMemoryNetworkOptions? network = null)
    {
        Network = new InMemoryNetwork(Clock, network);
        Server = new CoapServer(Options(1, server));
        Client = new CoapClient(Options(2, options =>
        {
            // Continuations of responses also run in virtual time. Otherwise the clock would wait for pool threads after each of thousands
            // of blocks.
            options.Pipeline.Scheduler = new VirtualScheduler(Clock);
            client?.Invoke(options);
        }));
        Server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(ServerAddress)));
        Client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(ClientAddress)));
    }

    /// <summary>The clock of the pair. It does not advance until a test lets time pass.</summary>
    public VirtualClock Clock { get; } = new();

    /// <summary>The network between the two, with a trace of all datagrams.</summary>
    public InMemoryNetwork Network { get; }

    /// <summary>The server.</summary>
    public CoapServer Server { get; }

    /// <summary>The client.</summary>
    public CoapClient Client { get; }

    /// <summary>Starts the server.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>A task that completes when the server serves requests.</returns>
    public Task StartAsync(CancellationToken cancellationToken = default) => Server.StartAsync(cancellationToken);

    /// <summary>Lets virtual time pass until an exchange has completed.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="exchange">The exchange, such as a request of <see cref="Client"/>.</param>
    /// <param name="max">The maximum virtual time; null for 10 minutes.</param>
    /// <returns>The result. The method rethrows exceptions of the exchange.</returns>
    /// <exception cref="TimeoutException">The maximum time has passed.</exception>
    public Task<T> RunAsync<T>(Func<Task<T>> exchange, TimeSpan? max = null)
    {
        ArgumentNullException.ThrowIfNull(exchange);
        return Clock.AdvanceUntilAsync(exchange(), max ?? TimeSpan.FromMinutes(10));
    }

    /// <summary>Stops the server and the client.</summary>
    /// <returns>A task that completes when both are closed.</returns>
    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync().ConfigureAwait(false);
        await Server.DisposeAsync().ConfigureAwait(false);
    }

    private CoapEndpointOptions Options(ulong seed, Action<CoapEndpointOptions>? change)
    {
        CoapEndpointOptions options = new() { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(seed) } };
        change?.Invoke(options);
        return options;
    }
}
