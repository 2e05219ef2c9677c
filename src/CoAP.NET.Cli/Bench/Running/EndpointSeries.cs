namespace CoAP.NET.Cli.Bench;

/// <summary>
/// The endpoints that a group of peers sends from, one after the other: a peer whose Message IDs are used up moves to the next one, which
/// has another port. The old one stays open for as long as its Message IDs may not be used again, so that nobody gets its port meanwhile.
/// Thread-safe.
/// </summary>
/// <param name="open">Opens one.</param>
/// <param name="peers">How many peers the group has.</param>
/// <param name="lifetime">How long an endpoint that all have left stays open.</param>
internal sealed class EndpointSeries(Func<Task<LoadEndpoint>> open, int peers, TimeSpan lifetime) : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<int, Task<LoadEndpoint>> _opened = [];
    private readonly Queue<(LoadEndpoint Endpoint, long Since)> _left = new();
    private readonly List<CoapCounters> _counters = [];
    private bool _isClosed;

    /// <summary>Datagrams that were lost because the receive buffers of these endpoints were full, of those that were closed too.</summary>
    public long Drops
    {
        get
        {
            lock (_gate)
            {
                return _counters.Sum(static counters => counters[CoapCounter.KernelDrops]);
            }
        }
    }

    /// <summary>The endpoint of a number; opens it if nobody has yet.</summary>
    /// <exception cref="CoapException">All were closed.</exception>
    public Task<LoadEndpoint> GetAsync(int number)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                throw new CoapException("The peers were closed.");
            }

            if (!_opened.TryGetValue(number, out Task<LoadEndpoint>? endpoint))
            {
                endpoint = OpenAsync();
                _opened.Add(number, endpoint);
            }

            return endpoint;
        }
    }

    /// <summary>One peer has left an endpoint.</summary>
    public void Leave(int number, LoadEndpoint endpoint)
    {
        if (endpoint.Leave() < peers)
        {
            return;
        }

        lock (_gate)
        {
            _opened.Remove(number);
            _left.Enqueue((endpoint, Stamp.Now));
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task<LoadEndpoint>[] opened;
        LoadEndpoint[] left;
        lock (_gate)
        {
            _isClosed = true;
            opened = [.. _opened.Values];
            left = [.. _left.Select(static one => one.Endpoint)];
            _opened.Clear();
            _left.Clear();
        }

        foreach (LoadEndpoint endpoint in left)
        {
            await endpoint.Client.DisposeAsync().ConfigureAwait(false);
        }

        foreach (Task<LoadEndpoint> endpoint in opened)
        {
            await ((Task)endpoint).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (endpoint.IsCompletedSuccessfully)
            {
                await (await endpoint.ConfigureAwait(false)).Client.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task<LoadEndpoint> OpenAsync()
    {
        // The peer that asks for it is in the middle of its requests.
        await Task.Yield();
        while (Expired() is { } old)
        {
            await old.Client.DisposeAsync().ConfigureAwait(false);
        }

        LoadEndpoint endpoint = await open().ConfigureAwait(false);
        lock (_gate)
        {
            _counters.Add(endpoint.Client.Endpoint.Counters);
        }

        return endpoint;
    }

    private LoadEndpoint? Expired()
    {
        lock (_gate)
        {
            return _left.TryPeek(out (LoadEndpoint Endpoint, long Since) oldest)
                && TimeProvider.System.GetElapsedTime(oldest.Since) > lifetime ? _left.Dequeue().Endpoint : null;
        }
    }
}
