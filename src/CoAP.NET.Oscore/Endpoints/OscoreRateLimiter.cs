namespace CoAP.NET.Oscore.Endpoints;

/// <summary>
/// Limits the rate of an action per source, in a fixed-size table: sources whose hashes share a place share its rate. Thread-safe.
/// </summary>
internal sealed class OscoreRateLimiter
{
    private const int Capacity = 1024;

    private readonly TimeProvider _time;
    private readonly long _interval;
    private readonly long _burst;
    private readonly Lock _gate = new();

    // When the budget of each place is full again; endpoints without an attack never need it.
    private long[]? _until;

    /// <param name="burst">The size of a burst.</param>
    /// <param name="perSecond">The number per second after the burst.</param>
    /// <param name="time">The clock.</param>
    public OscoreRateLimiter(int burst, int perSecond, TimeProvider time)
    {
        _time = time;
        _interval = time.TimestampFrequency / perSecond;
        _burst = _interval * burst;
    }

    /// <summary>Takes one unit from a source's budget.</summary>
    /// <returns>False if the source has none left.</returns>
    public bool TryTake(in CoapQuotaSource source)
    {
        long now = _time.GetTimestamp();
        lock (_gate)
        {
            if (_until is null)
            {
                _until = new long[Capacity];
                Array.Fill(_until, long.MinValue);
            }

            ref long until = ref _until[(int)((uint)source.GetHashCode() % Capacity)];
            long next = Math.Max(until, now) + _interval;
            if (next - now > _burst)
            {
                return false;
            }

            until = next;
            return true;
        }
    }
}
