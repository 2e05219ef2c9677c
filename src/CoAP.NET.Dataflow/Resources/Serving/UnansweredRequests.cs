using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

/// <summary>
/// The requests of one shard whose answer did not come at once: their handlers await something, or they wait for their turn. When the
/// endpoint stops each of them is answered, whatever its handler does. A request that is answered at once never comes here. Each of them
/// takes of the share of its source. Thread-safe.
/// </summary>
/// <param name="environment">For the clock.</param>
/// <param name="served">Who counts what is served, and for whom.</param>
internal sealed class UnansweredRequests(CoapEnvironment environment, ServedRequests served)
{
    private readonly Dictionary<CoapExchange, ServedHolding> _all = [];

    // Answered in place of their handlers when the endpoint stopped; the handlers still run.
    private readonly HashSet<CoapExchange> _letGo = [];
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

    /// <summary>Notes a request whose handler has not answered yet.</summary>
    /// <param name="exchange">The request.</param>
    /// <returns>False when the endpoint has stopped, so that the caller answers.</returns>
    public bool TryAdd(CoapExchange exchange)
    {
        lock (_gate)
        {
            // Who answers meanwhile looks at the mark after it claimed the answer: so one of the two sees the other.
            exchange.IsUnanswered = true;
            Interlocked.MemoryBarrier();
            if (exchange.IsReplied)
            {
                return true;
            }

            if (_isClosed)
            {
                served.LetGo(_letGo.Add(exchange) ? 1 : 0);
                return false;
            }

            _all.Add(exchange, exchange.IsForObservers ? default : served.Shares.Enter(exchange.Channel, environment.Now));
            return true;
        }
    }

    /// <summary>Forgets a request that has its answer.</summary>
    /// <param name="exchange">The request.</param>
    /// <returns>Whether it was known.</returns>
    public bool Remove(CoapExchange exchange)
    {
        lock (_gate)
        {
            if (_all.Remove(exchange, out ServedHolding holding))
            {
                served.Shares.Exit(holding);
                return true;
            }

            if (_letGo.Remove(exchange))
            {
                served.LetGo(-1);
                return true;
            }

            return false;
        }
    }

    /// <summary>Ends it: all requests without an answer, for the caller to answer. From here on nothing is noted.</summary>
    public CoapExchange[] Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            CoapExchange[] left = [.. _all.Keys];
            foreach (ServedHolding holding in _all.Values)
            {
                served.Shares.Exit(holding);
            }

            _letGo.UnionWith(left);
            served.LetGo(left.Length);
            _all.Clear();
            return left;
        }
    }
}
