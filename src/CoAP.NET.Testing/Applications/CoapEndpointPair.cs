namespace CoAP.NET.Testing;

/// <summary>
/// A server and a client on a network in memory, in virtual time: nothing is opened, and an hour of retransmissions passes at once. Map
/// routes, start it, and let time pass by <see cref="RunAsync{T}"/>.
/// </summary>
public sealed class CoapEndpointPair : IAsyncDisposable
{
    /// <summary>Where the server is, as the beginning of URIs.</summary>
    public const string Address = "coap://[2001:db8::1]:5683";

    private const string ServerAddress = "[2001:db8::1]:5683";
    private const string ClientAddress = "[2001:db8::2]:49152";

    /// <summary>Makes a pair; nothing is sent yet.</summary>
    /// <param name="server">Changes how the server works; null for the defaults. Clock and entropy are those of the pair.</param>
    /// <param name="client">Changes how the client works; null for the defaults.</param>
    /// <param name="network">Loss, delay and seed; null for a network without faults.</param>
    public CoapEndpointPair(Action<CoapEndpointOptions>? server = null, Action<CoapEndpointOptions>? client = null,
        InMemoryNetworkOptions? network = null)
    {
        Network = new InMemoryNetwork(Clock, network);
        Server = new CoapServer(Options(1, server));
        Client = new CoapClient(Options(2, options =>
        {
            // What awaits responses goes on in virtual time as well: the clock need not wait for threads of the pool after each of
            // thousands of blocks.
            options.Scheduler = new VirtualScheduler(Clock);
            client?.Invoke(options);
        }));
        Server.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(ServerAddress)));
        Client.Endpoint.AddTransport(Network.CreateTransport(InMemoryNetwork.Address(ClientAddress)));
    }

    /// <summary>The clock of everything in the pair. It stands still until a test lets time pass.</summary>
    public VirtualClock Clock { get; } = new();

    /// <summary>What lies between the two; has the trace of all datagrams.</summary>
    public InMemoryNetwork Network { get; }

    /// <summary>The server.</summary>
    public CoapServer Server { get; }

    /// <summary>The client.</summary>
    public CoapClient Client { get; }

    /// <summary>Starts the server.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that ends when it serves.</returns>
    public Task StartAsync(CancellationToken cancellationToken = default) => Server.StartAsync(cancellationToken);

    /// <summary>Lets virtual time pass until what is awaited has come.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="exchange">What to do, such as a request of <see cref="Client"/>.</param>
    /// <param name="max">The longest virtual time to pass; null for 10 minutes.</param>
    /// <returns>The result; it throws what was thrown.</returns>
    /// <exception cref="TimeoutException">The time has passed.</exception>
    public Task<T> RunAsync<T>(Func<Task<T>> exchange, TimeSpan? max = null)
    {
        ArgumentNullException.ThrowIfNull(exchange);
        return Clock.AdvanceUntilAsync(exchange(), max ?? TimeSpan.FromMinutes(10));
    }

    /// <summary>Stops both.</summary>
    /// <returns>A task that ends when they are closed.</returns>
    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync().ConfigureAwait(false);
        await Server.DisposeAsync().ConfigureAwait(false);
    }

    private CoapEndpointOptions Options(ulong seed, Action<CoapEndpointOptions>? change)
    {
        CoapEndpointOptions options = new() { TimeProvider = Clock, Random = new VirtualRandom(seed) };
        change?.Invoke(options);
        return options;
    }
}
