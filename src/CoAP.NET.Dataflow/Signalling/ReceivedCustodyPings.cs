namespace CoAP.NET.Signalling;

/// <summary>
/// Pings of a peer with Custody (RFC 8323 section 5.4.1): each Pong waits until the requests before its Ping are answered, and no longer,
/// however many follow. Guarded by the shard's lock.
/// </summary>
internal sealed class ReceivedCustodyPings(ConnectionRequestCounter requests)
{
    /// <summary>
    /// The maximum number of waiting Pings. A further one gets its Pong at once and without Custody, which is allowed because the option is
    /// elective.
    /// </summary>
    public const int Capacity = 16;

    private readonly List<CoapToken> _waiting = [];
    private readonly List<CoapToken> _next = [];
    private byte _side;

    /// <summary>Whether no Ping waits.</summary>
    public bool IsEmpty => _waiting.Count == 0;

    /// <summary>Adds a Ping.</summary>
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
            // It must wait for the side that takes requests now, which is checked when the previous side has ended.
            _next.Add(token);
        }

        return true;
    }

    /// <summary>Takes the next Ping whose Pong is due; call it again until there is none.</summary>
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
