namespace CoAP.NET.Resources;

/// <summary>
/// How many of the requests that are served belong to which source. Only those are counted whose handler did not answer at once, as only
/// these hold a place. The fewer places are free, the fewer a source may have: a source that has none finds room as long as there is any,
/// and to take all it needs many sources. Addresses that were never verified can be forged without end; all of them together leave a
/// quarter free. Thread-safe.
/// </summary>
internal sealed class ServedShares
{
    // Of all places so many are kept for peers whose addresses cannot be forged: one of each four.
    private const int PartOfVerified = 4;

    private readonly Lock _gate = new();
    private readonly SourceCounts _counts = new(int.MaxValue, int.MaxValue);
    private readonly double _max;
    private readonly int _maxUnverified;
    private readonly int _beyond;
    private int _unverified;

    /// <param name="max">How many requests are served at a time.</param>
    public ServedShares(int max)
    {
        _max = max;
        _maxUnverified = max - (max / PartOfVerified);
        _beyond = ServedRequests.BeyondOf(max);
    }

    /// <summary>
    /// How many places a source may have before it takes one more: when half of all is free half of them, when a quarter is free an eighth,
    /// when a tenth is free a fiftieth.
    /// </summary>
    /// <param name="free">How many places are free, with the one that is asked for.</param>
    /// <param name="max">How many there are.</param>
    public static double MaxOfSource(long free, double max) => 2 * (free / max) * free;

    /// <summary>How many sources have requests under way.</summary>
    public int Sources
    {
        get
        {
            lock (_gate)
            {
                return _counts.Sources;
            }
        }
    }

    /// <summary>How many requests of unverified addresses are under way.</summary>
    public int Unverified => Volatile.Read(ref _unverified);

    /// <summary>Whether a source may have one more request under way.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="free">How many places are free, with the one that is asked for.</param>
    /// <param name="isBeyond">Whether it ends something that is under way, for which there are some more.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public ServedVerdict Look(CoapChannel channel, long free, bool isBeyond, long now)
    {
        ServedHolding holding = HoldingOf(channel, now);
        lock (_gate)
        {
            return holding.IsUnverified && _unverified >= _maxUnverified + (isBeyond ? _beyond : 0) ? ServedVerdict.Unverified
                : _counts.CountOf(holding.Source) > MaxOfSource(free, _max) ? ServedVerdict.Share
                : ServedVerdict.Enters;
        }
    }

    /// <summary>A request of a peer is under way, until <see cref="Exit"/>.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    public ServedHolding Enter(CoapChannel channel, long now)
    {
        ServedHolding holding = HoldingOf(channel, now);
        lock (_gate)
        {
            _counts.TryAdd(holding.Source);
            _unverified += holding.IsUnverified ? 1 : 0;
        }

        return holding;
    }

    /// <summary>Undoes <see cref="Enter"/>.</summary>
    public void Exit(in ServedHolding holding)
    {
        if (!holding.IsCounted)
        {
            return;
        }

        lock (_gate)
        {
            _counts.Remove(holding.Source);
            _unverified -= holding.IsUnverified ? 1 : 0;
        }
    }

    private static ServedHolding HoldingOf(CoapChannel channel, long now) => new(
        channel.Shard.Environment.Sources.Of(channel.Remote, channel.Identity),
        !channel.IsConnection && !channel.Shard.Guard.IsTrusted(channel, now),
        IsCounted: true);
}
