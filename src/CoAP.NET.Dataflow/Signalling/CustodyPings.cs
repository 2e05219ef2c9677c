namespace CoAP.NET.Signalling;

/// <summary>
/// Pings of a peer that ask for Custody (RFC 8323 section 5.4.1): each Pong waits until the requests that came before its Ping are
/// answered, and no longer, however many come after. Guarded by the shard's lock.
/// </summary>
internal sealed class CustodyPings(RequestsUnderWay requests)
{
    /// <summary>
    /// How many may wait; the Pong of a further one comes at once and without Custody, which it may (the option is elective).
    /// </summary>
    public const int Capacity = 16;

    private readonly List<CoapToken> _waiting = [];
    private readonly List<CoapToken> _next = [];
    private byte _side;

    /// <summary>Whether any wait.</summary>
    public bool IsEmpty => _waiting.Count == 0;

    /// <summary>Takes a Ping in.</summary>
    /// <returns>False when too many wait.</returns>
    public bool TryAdd(CoapToken token)
    {
        if (_waiting.Count + _next.Count >= Capacity)
        {
            return false;
        }

        if (_waiting.Count == 0)
        {
            _side = requests.Swap();
            _waiting.Add(token);
        }
        else
        {
            // It has to wait for the side that takes requests now, which is looked at when the one before has ended.
            _next.Add(token);
        }

        return true;
    }

    /// <summary>The next Ping whose Pong is due; call again until there is none.</summary>
    public bool TryTake(out CoapToken token)
    {
        token = default;
        if (_waiting.Count == 0 || requests.CountOf(_side) > 0)
        {
            return false;
        }

        token = _waiting[0];
        _waiting.RemoveAt(0);
        if (_waiting.Count == 0 && _next.Count > 0)
        {
            _side = requests.Swap();
            _waiting.AddRange(_next);
            _next.Clear();
        }

        return true;
    }
}
