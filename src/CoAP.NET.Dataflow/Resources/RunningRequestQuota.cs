namespace CoAP.NET.Resources;

/// <summary>
/// Counts the running requests per source. It counts only those whose handler did not complete at once, because only these hold a place.
/// The share of a source shrinks with the free places: a source without requests finds room while there is any, and taking all places needs
/// many sources. Unverified addresses can be forged without limit; all of them together leave a quarter free. Thread-safe.
/// </summary>
internal sealed class RunningRequestQuota
{
    // One of every four places is reserved for peers with addresses that cannot be forged.
    private const int PartOfVerified = 4;

    private readonly Lock _gate = new();
    private readonly SourceCounter _counts = new(int.MaxValue, int.MaxValue);
    private readonly double _max;
    private readonly int _maxUnverified;
    private readonly int _beyond;
    private int _unverified;

    /// <param name="max">The maximum number of running requests.</param>
    public RunningRequestQuota(int max)
    {
        _max = max;
        _maxUnverified = max - (max / PartOfVerified);
        _beyond = RunningRequestCounter.BeyondOf(max);
    }

    /// <summary>
    /// Returns how many places a source may have before it takes another one: half of the free places when half of all are free, an eighth
    /// when a quarter is free, a fiftieth when a tenth is free.
    /// </summary>
    /// <param name="free">The number of free places, including the requested one.</param>
    /// <param name="max">The number of all places.</param>
    public static double MaxOfSource(long free, double max) => 2 * (free / max) * free;

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

    public int Unverified => Volatile.Read(ref _unverified);

    /// <summary>Decides whether a source may have another running request.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="free">The number of free places, including the requested one.</param>
    /// <param name="isBeyond">Whether it completes something that is running, for which there are additional places.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public RequestAdmissionVerdict Look(CoapChannel channel, long free, bool isBeyond, long now)
    {
        RunningRequestQuotaLease holding = EntryOf(channel, now);
        lock (_gate)
        {
            return holding.IsUnverified && _unverified >= _maxUnverified + (isBeyond ? _beyond : 0) ? RequestAdmissionVerdict.Unverified
                : _counts.CountOf(holding.Source) > MaxOfSource(free, _max) ? RequestAdmissionVerdict.Share
                : RequestAdmissionVerdict.Enters;
        }
    }

    /// <summary>Records a running request of a peer, until <see cref="Exit"/>.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public RunningRequestQuotaLease Enter(CoapChannel channel, long now)
    {
        RunningRequestQuotaLease holding = EntryOf(channel, now);
        lock (_gate)
        {
            _counts.TryAdd(holding.Source);
            _unverified += holding.IsUnverified ? 1 : 0;
        }

        return holding;
    }

    /// <summary>Undoes <see cref="Enter"/>.</summary>
    public void Exit(in RunningRequestQuotaLease holding)
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

    private static RunningRequestQuotaLease EntryOf(CoapChannel channel, long now) => new(
        channel.Shard.Environment.Sources.Of(channel.Remote, channel.PeerId),
        !channel.IsConnection && !channel.Shard.Guard.IsTrusted(channel, now),
        IsCounted: true);
}
