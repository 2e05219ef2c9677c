namespace CoAP.NET.Resources;

/// <summary>
/// The requests of one shard without an immediate response: their handlers await, or they wait in a queue. When the endpoint stops, each of
/// them is answered, whatever its handler does. Requests with an immediate response are never added. Each of them takes a place in the
/// share of its source. Thread-safe.
/// </summary>
/// <param name="environment">Provides the clock.</param>
/// <param name="served">Counts the running requests, per source.</param>
internal sealed class UnansweredServerRequests(CoapEnvironment environment, RunningRequestCounter served)
{
    private readonly Dictionary<CoapExchange, RunningRequestQuotaLease> _all = [];

    // Requests that were answered in place of their handlers when the endpoint stopped; the handlers still run.
    private readonly HashSet<CoapExchange> _released = [];
    private readonly Lock _gate = new();
    private bool _isClosed;

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _all.Count;
            }
        }
    }

    /// <summary>Adds a request whose handler has not completed yet.</summary>
    /// <returns>False if the endpoint has stopped, so that the caller answers.</returns>
    public bool TryAdd(CoapExchange exchange)
    {
        lock (_gate)
        {
            // A thread that answers meanwhile checks the mark after it claimed the response: one of the two sees the other.
            exchange.IsUnanswered = true;
            Interlocked.MemoryBarrier();
            if (exchange.IsReplied)
            {
                return true;
            }

            if (_isClosed)
            {
                served.Release(_released.Add(exchange) ? 1 : 0);
                return false;
            }

            _all.Add(exchange, exchange.IsForObservers ? default : served.Quota.Enter(exchange.Channel, environment.Now));
            return true;
        }
    }

    /// <summary>Removes a request that has its response.</summary>
    /// <returns>Whether it was known.</returns>
    public bool Remove(CoapExchange exchange)
    {
        lock (_gate)
        {
            if (_all.Remove(exchange, out RunningRequestQuotaLease holding))
            {
                served.Quota.Exit(holding);
                return true;
            }

            if (_released.Remove(exchange))
            {
                served.Release(-1);
                return true;
            }

            return false;
        }
    }

    /// <summary>Closes the list and returns all requests without a response, for the caller to answer. Later additions fail.</summary>
    public CoapExchange[] Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            CoapExchange[] left = [.. _all.Keys];
            foreach (RunningRequestQuotaLease holding in _all.Values)
            {
                served.Quota.Exit(holding);
            }

            _released.UnionWith(left);
            served.Release(left.Length);
            _all.Clear();
            return left;
        }
    }
}
