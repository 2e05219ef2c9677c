using CoAP.NET.Transports;

namespace CoAP.NET.Oscore;

/// <summary>
/// How often something is done for each source, in a table of fixed size: sources whose hashes share a place share its rate. Thread-safe.
/// </summary>
internal sealed class OscoreRate
{
    private const int Places = 1024;

    private readonly TimeProvider _time;
    private readonly long _interval;
    private readonly long _burst;
    private readonly Lock _gate = new();

    // Until when all that was done is paid for; endpoints that nobody attacks never need it.
    private long[]? _until;

    /// <param name="burst">How many at once.</param>
    /// <param name="perSecond">How many a second after that.</param>
    /// <param name="time">The clock.</param>
    public OscoreRate(int burst, int perSecond, TimeProvider time)
    {
        _time = time;
        _interval = time.TimestampFrequency / perSecond;
        _burst = _interval * burst;
    }

    /// <summary>Does it once for a source.</summary>
    /// <param name="source">The source.</param>
    /// <returns>Whether it may be done.</returns>
    public bool TryTake(in CoapSource source)
    {
        long now = _time.GetTimestamp();
        lock (_gate)
        {
            if (_until is null)
            {
                _until = new long[Places];
                Array.Fill(_until, long.MinValue);
            }

            ref long until = ref _until[(int)((uint)source.GetHashCode() % Places)];
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
