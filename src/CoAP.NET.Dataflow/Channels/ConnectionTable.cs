namespace CoAP.NET.Channels;

/// <summary>
/// The connections of an endpoint, counted by source (RFC 8323 section 10). When there are too many, the source that has most loses an idle
/// one to a newcomer. Thread-safe; one for all shards.
/// </summary>
internal sealed class ConnectionTable(CoapLimits limits, CoapSourceGroupingRule sources)
{
    // The maximum number of connections of a source, and of equally large sources, to check for an idle one; the next search continues with
    // others.
    private const int MaxLookedAt = 64;
    private const int MaxSources = 8;

    // The weight of a connection for its source, higher until its CSM arrived, so silent connections go first.
    private const int Silent = 2;
    private const int Heard = 1;

    // When no source holds more than the newcomer's own source, only these connections are idle: no CSM for so long, or no request and
    // nothing pending for so long. Otherwise a client that opens one connection after another would end those of all clients behind the
    // same address.
    private static readonly TimeSpan s_csmTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_idleTimeout = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();

    // With the holdings of connections that peers opened.
    private readonly Dictionary<CoapChannel, SourceUsage<CoapChannel>.UsageEntry?> _channels = [];
    private readonly SourceUsage<CoapChannel> _accepted = new();

    // Guarded by the gate.
    private int _reliable;

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _channels.Count;
            }
        }
    }

    /// <summary>Adds a connection.</summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="idle">The connection that must be closed because it was evicted; null for none.</param>
    /// <returns>
    /// False when a limit is reached and no connection is evicted. Connections that this end opened count, but not against the share of
    /// their address.
    /// </returns>
    public bool TryAdd(CoapChannel channel, long now, out CoapChannel? idle)
    {
        idle = null;
        lock (_gate)
        {
            if (!channel.IsReliable)
            {
                // Sessions cost little besides their state in the transport, which has its own limits.
                return _channels.TryAdd(channel, null);
            }

            bool isOurs = channel.Connection!.IsInitiator;
            if (isOurs ? _reliable >= limits.Connections.MaxCount : !TryMakeRoom(channel, now, out idle))
            {
                return false;
            }

            SourceUsage<CoapChannel>.UsageEntry? place = isOurs
                ? null
                : new SourceUsage<CoapChannel>.UsageEntry(channel, sources.Of(channel.Remote));
            if (place is not null)
            {
                _accepted.Set(place, Silent);
            }

            _channels.Add(channel, place);
            _reliable++;
            return true;
        }
    }

    /// <summary>Records the peer's CSM.</summary>
    public void OnReady(CoapChannel channel)
    {
        lock (_gate)
        {
            if (_channels.TryGetValue(channel, out SourceUsage<CoapChannel>.UsageEntry? place) && place is not null)
            {
                if (!place.IsOver)
                {
                    _accepted.Set(place, Heard);
                }
            }
        }
    }

    public bool Remove(CoapChannel channel)
    {
        lock (_gate)
        {
            if (!_channels.Remove(channel, out SourceUsage<CoapChannel>.UsageEntry? place))
            {
                return false;
            }

            if (place is not null)
            {
                Release(place);
            }
            else if (channel.IsReliable)
            {
                _reliable--;
            }

            return true;
        }
    }

    /// <summary>Returns all connections as a new list.</summary>
    public List<CoapChannel> All()
    {
        lock (_gate)
        {
            return [.. _channels.Keys];
        }
    }

    /// <summary>Returns the connections of a shard as a new list.</summary>
    public List<CoapChannel> Of(CoapShard shard)
    {
        lock (_gate)
        {
            return [.. _channels.Keys.Where(channel => channel.Shard == shard)];
        }
    }

    private bool TryMakeRoom(CoapChannel newcomer, long now, out CoapChannel? idle)
    {
        idle = null;
        SourceUsage<CoapChannel>.Source? own = _accepted.Find(sources.Of(newcomer.Remote));
        bool isFull = own?.Count >= limits.Connections.MaxCountPerSource;
        if (!isFull && _reliable < limits.Connections.MaxCount)
        {
            return true;
        }

        long ofOwn = (own?.Amount ?? 0) + Heard;
        for (int i = 0; i < MaxSources; i++)
        {
            SourceUsage<CoapChannel>.Source? from = isFull ? own : _accepted.Greediest;
            if (from is null)
            {
                break;
            }

            if (FindIdle(from, now, isGreedy: FairShare.AllowsEviction(ofOwn, from.Amount - Heard)) is { } place)
            {
                Release(place);
                idle = place.Owner;
                return true;
            }

            // Other sources of equal size may have an idle one.
            _accepted.Pass(from);
        }

        return false;
    }

    /// <summary>
    /// Finds the connection that is evicted: first one without a CSM, then one with nothing pending, then any other; among equals the one
    /// without a request for longest.
    /// </summary>
    private static SourceUsage<CoapChannel>.UsageEntry? FindIdle(SourceUsage<CoapChannel>.Source source, long now, bool isGreedy)
    {
        SourceUsage<CoapChannel>.UsageEntry? idle = null;
        (int Rank, long Since) worst = default;
        SourceUsage<CoapChannel>.UsageEntry? at = source.First;
        for (int i = 0; i < MaxLookedAt && at is not null; i++, at = at.Links.Next)
        {
            CoapChannel channel = at.Owner;
            int rank = at.Amount == Silent ? 0 : channel is { Pins: 0, Connection.Requests: null or { Count: 0 } } ? 1 : 2;
            (int Rank, long Since) holder = (rank, channel.LastSeen);
            bool mayGo = isGreedy || (rank < 2 && now - holder.Since >= (rank == 0 ? s_csmTimeout : s_idleTimeout).Ticks);
            if (mayGo && (idle is null || holder.CompareTo(worst) < 0))
            {
                idle = at;
                worst = holder;
            }
        }

        while (at is not null && source.First != at)
        {
            SourceUsage<CoapChannel>.Touch(source.First!);
        }

        return idle;
    }

    private void Release(SourceUsage<CoapChannel>.UsageEntry place)
    {
        if (!place.IsOver)
        {
            place.IsOver = true;
            _accepted.Set(place, 0);
            _reliable--;
        }
    }
}
