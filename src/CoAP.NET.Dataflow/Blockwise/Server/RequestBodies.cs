using System.Globalization;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The bodies of requests of one shard that a server has not answered yet, however they come: which there are, what room they take, and
/// when they are given up. Guarded by Shard.Gate.
/// </summary>
internal sealed class RequestBodies : IBodyKeeper<BodyEntry>
{
    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly int _busyMaxAge;
    private readonly OccasionalLog _capped;

    public RequestBodies(CoapShard shard, BodyBudget budget)
    {
        _shard = shard;
        _counters = shard.Environment.Counters;
        _busyMaxAge = shard.Environment.Limits.BusyMaxAge;
        _capped = new OccasionalLog(shard.Environment.TimeProvider);
        Table = new BodyTable<BodyEntry>(shard, budget, this);
    }

    /// <summary>The bodies, with ages and times.</summary>
    public BodyTable<BodyEntry> Table { get; }

    /// <summary>How large a body may be on a route: what is put together has to fit the share of a source as well.</summary>
    public long LargestOf(BodyPolicy policy) =>
        policy.Mode == BodyMode.Whole
            ? Math.Min(policy.MaxSize, Math.Max(0, Table.Budget.PeerMax - BodyAssembly.Allowance))
            : policy.MaxSize;

    /// <summary>Takes room for an entry within the bounds.</summary>
    /// <returns>Null when there is room, otherwise the answer that refuses the block.</returns>
    public CoapResult? Charge(BodyEntry entry, long bytes, long now)
    {
        if (bytes <= 0)
        {
            return null;
        }

        while (Table.TryCharge(entry, bytes, bytes) is var shortage && shortage != BodyShortage.None)
        {
            // Evict the body of the same peer that was idle longest first, then bodies without progress.
            if ((Table.OldestOf(entry.Channel, entry) ?? Table.FindVictim(entry, shortage, now)) is { } victim)
            {
                Evict(victim);
                continue;
            }

            Table.NoteRefusal(entry, shortage, now);
            _counters.Add(CoapCounter.BodiesRefused);
            entry.Channel.NoteDrop(CoapCounter.BodiesRefused);

            // A client that proves that it receives at its address has its own share.
            long max = Table.Budget.PeerMax;
            bool isPooled = entry.Standing == BodyStanding.Newcomer || shortage == BodyShortage.Unverified;
            return isPooled && !entry.Channel.IsConnection ? CoapResults.FreshnessRequired()
                : entry.PeerCharge + bytes > max ? BlockAnswers.TooLarge(Math.Max(0, max - BodyAssembly.Overhead))
                : CoapResults.ServiceUnavailable(TimeSpan.FromSeconds(_busyMaxAge));
        }

        entry.Charge += bytes;
        return null;
    }

    /// <summary>Ends an incomplete body, and informs readers of the rest.</summary>
    public void GiveUp(BodyEntry entry, string reason)
    {
        Table.Release(entry);
        entry.OnGivenUp(reason);
    }

    /// <summary>4.13: the body is larger than the route takes, or than there is ever room for.</summary>
    public BodyVerdict TooLarge(CoapExchange exchange, BodyPolicy policy, long max)
    {
        _counters.Add(CoapCounter.BodiesTooLarge);
        exchange.Channel.NoteDrop(CoapCounter.BodiesTooLarge);
        if (max < policy.MaxSize && _capped.IsDue())
        {
            _shard.AfterRelease(new CapLog(exchange.Request.Path, policy.MaxSize, max));
        }

        return BodyVerdict.Answer(BlockAnswers.TooLarge(max));
    }

    /// <summary>4.08: what came before a block is gone, or never came.</summary>
    public BodyVerdict Missing() => Incomplete("The blocks before this one are not here. Begin with block 0.");

    /// <summary>4.08: a block is not the next one.</summary>
    /// <param name="expected">Where the next one begins, in bytes.</param>
    public BodyVerdict OutOfSequence(long expected) =>
        Incomplete(string.Create(CultureInfo.InvariantCulture, $"The next block begins at byte {expected}."));

    /// <summary>4.08: a block is of another Content-Format than those before.</summary>
    public BodyVerdict OtherFormat() => Incomplete("The blocks of a body have one Content-Format.");

    void IBodyKeeper<BodyEntry>.OnCrowdedOut(BodyEntry entry) => Evict(entry);

    void IBodyKeeper<BodyEntry>.OnExpired(BodyEntry entry)
    {
        if (entry.IsWhole)
        {
            // Only the memory is not counted for ever.
            Table.Release(entry);
            return;
        }

        if (entry.Place is not null)
        {
            _counters.Add(CoapCounter.BodiesAbandoned);
            entry.Channel.NoteDrop(CoapCounter.BodiesAbandoned);
        }

        GiveUp(entry, "The peer sent no further block in time.");
    }

    private BodyVerdict Incomplete(string diagnostic)
    {
        _counters.Add(CoapCounter.BodiesIncomplete);
        return BodyVerdict.Answer(BlockAnswers.Incomplete(diagnostic));
    }

    private void Evict(BodyEntry entry)
    {
        _counters.Add(CoapCounter.BodiesEvicted);
        GiveUp(entry, "There is no room for it any more.");
    }

    private sealed class CapLog(string path, long wanted, long max) : IAfterRelease
    {
        public void OnReleased(CoapShard shard) => BlockwiseLog.BodySizeCapped(shard.Environment.Logger, path, wanted, max);
    }
}
