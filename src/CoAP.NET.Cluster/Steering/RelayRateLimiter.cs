namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// Limits relayed datagrams per second. An attacker with invented Connection IDs causes relays, one for one; under load each source
/// therefore gets no more than its share. Thread-safe.
/// </summary>
/// <param name="time">The clock.</param>
internal sealed class RelayRateLimiter(TimeProvider time)
{
    /// <summary>The relays per second without a look at sources.</summary>
    public const int Free = 16_384;

    /// <summary>The relays per second of each source above that.</summary>
    public const int Share = 256;

    private const int MaxSources = 65_536;

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapQuotaSource, int> _bySource = [];
    private long _second = long.MinValue;
    private int _count;

    /// <summary>Whether another datagram may be relayed.</summary>
    public bool TryUse(in CoapAddress remote)
    {
        long second = time.GetTimestamp() / time.TimestampFrequency;
        lock (_gate)
        {
            if (second != _second)
            {
                _second = second;
                _count = 0;
                _bySource.Clear();
            }

            if (_count < Free)
            {
                _count++;
                return true;
            }

            CoapQuotaSource source = CoapSourceGroupingRule.Default.Of(remote);
            int used = _bySource.GetValueOrDefault(source);
            if (used >= Share || (used == 0 && _bySource.Count >= MaxSources))
            {
                return false;
            }

            _bySource[source] = used + 1;
            return true;
        }
    }
}
