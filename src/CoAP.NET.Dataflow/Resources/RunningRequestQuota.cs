namespace CoAP.NET.Resources;

/// <summary>
/// Counts the running requests per source. It counts only those whose handler did not complete at once, because only these hold a place.
/// Each source has a share (<see cref="FairShare"/>). Unverified addresses can be forged without limit; all of them together leave a
/// quarter free. Thread-safe.
/// </summary>
internal sealed class RunningRequestQuota
{
    // One of every four places is reserved for peers with addresses that cannot be forged.
    private const int PartOfVerified = 4;

    private readonly Lock _gate = new();
    private readonly SourceLedger<CoapQuotaSource> _ledger = new();
    private readonly int _max;
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

    public int Sources
    {
        get
        {
            lock (_gate)
            {
                return _ledger.Sources;
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
                : FairShare.HasRoom(_ledger.AmountOf(holding.Source) + 1, free, _max) ? RequestAdmissionVerdict.Enters
                : RequestAdmissionVerdict.Share;
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
            _ledger.Take(holding.Source);
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
            _ledger.Return(holding.Source);
            _unverified -= holding.IsUnverified ? 1 : 0;
        }
    }

    private static RunningRequestQuotaLease EntryOf(CoapChannel channel, long now) => new(
        channel.Shard.Environment.Sources.Of(channel.Remote, channel.PeerId),
        !channel.IsConnection && !channel.Shard.Guard.IsTrusted(channel, now),
        IsCounted: true);
}

/// <summary>One running request of a source.</summary>
/// <param name="Source">The source.</param>
/// <param name="IsUnverified">Whether it also counts for unverified addresses.</param>
/// <param name="IsCounted">Whether it counts at all; runs without a request of a peer do not.</param>
internal readonly record struct RunningRequestQuotaLease(CoapQuotaSource Source, bool IsUnverified, bool IsCounted);

/// <summary>Whether another request of a peer may be served.</summary>
internal enum RequestAdmissionVerdict : byte
{
    Enters,

    /// <summary>The maximum number of requests is running.</summary>
    Full,

    /// <summary>The source has used its share of the few free places.</summary>
    Share,

    /// <summary>All unverified addresses together have used their share.</summary>
    Unverified,
}
