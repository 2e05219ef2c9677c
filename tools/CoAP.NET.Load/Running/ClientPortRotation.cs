using CoAP.NET.Diagnostics;

namespace CoAP.NET.Load.Running;

/// <summary>
/// The successive endpoints of a group of peers: a peer that has used up its Message IDs moves to the next one, which has another port. The
/// old one stays open until its Message IDs may be used again, so that no other socket gets its port in the meantime. Thread-safe.
/// </summary>
/// <param name="open">Opens an endpoint.</param>
/// <param name="peers">Number of peers in the group.</param>
/// <param name="lifetime">How long an endpoint stays open after all peers have left it.</param>
internal sealed class ClientPortRotation(Func<Task<LoadClient>> open, int peers, TimeSpan lifetime) : IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<int, Task<LoadClient>> _opened = [];
    private readonly Queue<(LoadClient Endpoint, long Since)> _left = new();
    private readonly List<CoapCounters> _counters = [];
    private bool _isClosed;

    /// <summary>Datagrams lost because the receive buffers of these endpoints were full, including closed endpoints.</summary>
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

    /// <summary>Returns the endpoint with a number, and opens it if necessary.</summary>
    /// <exception cref="CoapException">The endpoints are closed.</exception>
    public Task<LoadClient> GetAsync(int number)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                throw new CoapException("The peers are closed.");
            }

            if (!_opened.TryGetValue(number, out Task<LoadClient>? endpoint))
            {
                endpoint = OpenAsync();
                _opened.Add(number, endpoint);
            }

            return endpoint;
        }
    }

    public void Leave(int number, LoadClient endpoint)
    {
        if (endpoint.Leave() < peers)
        {
            return;
        }

        lock (_gate)
        {
            _opened.Remove(number);
            _left.Enqueue((endpoint, MonotonicTimestamp.Now));
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task<LoadClient>[] opened;
        LoadClient[] left;
        lock (_gate)
        {
            _isClosed = true;
            opened = [.. _opened.Values];
            left = [.. _left.Select(static one => one.Endpoint)];
            _opened.Clear();
            _left.Clear();
        }

        foreach (LoadClient endpoint in left)
        {
            await endpoint.Client.DisposeAsync().ConfigureAwait(false);
        }

        foreach (Task<LoadClient> endpoint in opened)
        {
            await ((Task)endpoint).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (endpoint.IsCompletedSuccessfully)
            {
                await (await endpoint.ConfigureAwait(false)).Client.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task<LoadClient> OpenAsync()
    {
        // The peer that requests it is in the middle of its requests.
        await Task.Yield();
        while (Expired() is { } old)
        {
            await old.Client.DisposeAsync().ConfigureAwait(false);
        }

        LoadClient endpoint = await open().ConfigureAwait(false);
        lock (_gate)
        {
            _counters.Add(endpoint.Client.Endpoint.Counters);
        }

        return endpoint;
    }

    private LoadClient? Expired()
    {
        lock (_gate)
        {
            return _left.TryPeek(out (LoadClient Endpoint, long Since) oldest)
                && TimeProvider.System.GetElapsedTime(oldest.Since) > lifetime ? _left.Dequeue().Endpoint : null;
        }
    }
}
