namespace CoAP.NET.Footprint;

/// <summary>A server in memory with a resource that answers 12 bytes, and its peers.</summary>
internal sealed class MemoryServer : IAsyncDisposable
{
    // So many requests are taken to come together, as a receive loop takes them.
    private const int Batch = 64;

    private readonly CoapServer _server;
    private readonly MemoryTransport[] _transports;
    private readonly ManualClock? _clock;

    private MemoryServer(CoapServer server, MemoryTransport[] transports, ManualClock? clock)
    {
        _server = server;
        _transports = transports;
        _clock = clock;
    }

    public MemoryTransport Transport => _transports[0];

    public IReadOnlyList<MemoryTransport> Transports => _transports;

    public CoapCounters Counters => _server.Endpoint.Counters;

    public ManualClock Clock => _clock ?? throw new InvalidOperationException("This server runs by the system's clock.");

    /// <summary>Requests that were not answered, or not rightly.</summary>
    public long Errors => _transports.Sum(transport => transport.Lost + transport.Wrong);

    /// <summary>What answers a request: made anew each time, as a reading is.</summary>
    public static Func<CoapResult> Handler { get; } = () => CoapResults.Text(Frames.Hello);

    /// <summary>Makes and starts one.</summary>
    /// <param name="clock">Its time; null for the system's.</param>
    /// <param name="configure">Sets its options.</param>
    /// <param name="transports">How many transports it has, each for a thread.</param>
    /// <param name="handler">What answers; null for <see cref="Handler"/>.</param>
    public static async Task<MemoryServer> StartAsync(ManualClock? clock, Action<CoapEndpointOptions>? configure = null, int transports = 1,
        Func<CoapResult>? handler = null)
    {
        CoapEndpointOptions options = new();
        if (clock is not null)
        {
            options.TimeProvider = clock;
        }

        configure?.Invoke(options);
        CoapServer server = new(options);
        server.MapGet("/hello", handler ?? Handler);
        MemoryTransport[] all = [.. Enumerable.Range(0, transports).Select(_ => new MemoryTransport())];
        foreach (MemoryTransport transport in all)
        {
            server.Endpoint.AddTransport(transport);
        }

        await server.StartAsync();
        return new MemoryServer(server, all, clock);
    }

    /// <summary>Has peers send requests in turn.</summary>
    /// <param name="peers">How many peers.</param>
    /// <param name="first">The number of the first request: request n comes from peer n modulo the peers, as its n / peers-th.</param>
    /// <param name="count">How many requests.</param>
    /// <param name="pace">The virtual time between two; zero holds it.</param>
    /// <param name="contexts">Protect the requests of the peers; null for none.</param>
    public void Ask(int peers, long first, long count, TimeSpan pace = default, ProtectedPeer[]? contexts = null)
    {
        MemoryTransport transport = Transport;
        TimeSpan step = pace * Batch;
        for (long i = first; i < first + count; i++)
        {
            (long round, long peer) = Math.DivRem(i, peers);
            transport.Ask((int)peer, (int)round, contexts?[peer]);
            if (step > TimeSpan.Zero && i % Batch == Batch - 1)
            {
                Clock.Advance(step);
            }
        }
    }

    /// <summary>
    /// Makes peers known: each asks twice, so long after one another that it is a newcomer no more. Leaves them with two exchanges, rounds
    /// 0 and 1.
    /// </summary>
    /// <param name="peers">How many.</param>
    /// <param name="group">How many of them are newcomers at a time.</param>
    /// <param name="contextOf">Protects the requests of a peer, of whom it is told how many it has sent; null for none.</param>
    public void Introduce(int peers, int group, Func<int, int, ProtectedPeer>? contextOf = null) =>
        Introduction.Run(Clock, peers, group, (peer, round) => Transport.Ask(peer, round, contextOf?.Invoke(peer, round)));

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
