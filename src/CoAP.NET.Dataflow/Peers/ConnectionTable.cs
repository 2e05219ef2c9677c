using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

/// <summary>
/// The connections of an endpoint, and how many each source has (RFC 8323 section 10). When there are too many, an idle one gives way to a
/// newcomer, of the source that has most. Thread-safe; one for all shards.
/// </summary>
/// <param name="limits">The bounds.</param>
/// <param name="sources">Which peers count as one.</param>
internal sealed class ConnectionTable(CoapLimits limits, CoapSourceRule sources)
{
    // So many of a source are looked at for an idle one, and so many sources that hold as much; the next time it is the turn of others.
    private const int MaxLookedAt = 64;
    private const int MaxSources = 8;

    // What a connection counts for its source: more until its CSM came, so that silence is what goes first.
    private const int Silent = 2;
    private const int Heard = 1;

    // Where nobody holds more than the newcomer's own source, only these are idle: no CSM for so long, or nothing asked and nothing under
    // way for so long. Whoever opens connections one after another would end those of everybody behind the same address otherwise.
    private static readonly TimeSpan s_patienceForCsm = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();

    // With what those take that peers opened.
    private readonly Dictionary<CoapChannel, SourceLedger<CoapChannel>.Holding?> _channels = [];
    private readonly SourceLedger<CoapChannel> _accepted = new();

    // Guarded by the gate.
    private int _reliable;
    private TaskCompletionSource? _empty;

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

    /// <summary>Takes a connection in.</summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="idle">Whose connection is to be closed as it gave its place away; null for nobody's.</param>
    /// <returns>False when a bound is reached and nobody gives way. Connections of our own choice count, but not towards the share of their
    /// address.</returns>
    public bool TryAdd(CoapChannel channel, long now, out CoapChannel? idle)
    {
        idle = null;
        lock (_gate)
        {
            if (!channel.IsReliable)
            {
                // Sessions cost little beside what their transport keeps of them, which has bounds of its own.
                return _channels.TryAdd(channel, null);
            }

            bool isOurs = channel.Connection!.IsInitiator;
            if (isOurs ? _reliable >= limits.MaxConnections : !TryMakeRoom(channel, now, out idle))
            {
                return false;
            }

            SourceLedger<CoapChannel>.Holding? place = isOurs
                ? null
                : new SourceLedger<CoapChannel>.Holding(channel, sources.Of(channel.Remote));
            if (place is not null)
            {
                _accepted.Set(place, Silent);
            }

            _channels.Add(channel, place);
            _reliable++;
            return true;
        }
    }

    /// <summary>The peer's CSM came.</summary>
    public void OnReady(CoapChannel channel)
    {
        lock (_gate)
        {
            if (_channels.TryGetValue(channel, out SourceLedger<CoapChannel>.Holding? place) && place is not null)
            {
                if (!place.IsOver)
                {
                    _accepted.Set(place, Heard);
                }
            }
        }
    }

    /// <summary>Takes a connection out.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(CoapChannel channel)
    {
        lock (_gate)
        {
            if (!_channels.Remove(channel, out SourceLedger<CoapChannel>.Holding? place))
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

            if (_channels.Count == 0)
            {
                _empty?.TrySetResult();
            }

            return true;
        }
    }

    /// <summary>Waits until there is none. Meant for when no more are taken in.</summary>
    public Task WhenEmptyAsync()
    {
        lock (_gate)
        {
            return _channels.Count == 0
                ? Task.CompletedTask
                : (_empty ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
        }
    }

    /// <summary>All of them, as a list of its own.</summary>
    public List<CoapChannel> All()
    {
        lock (_gate)
        {
            return [.. _channels.Keys];
        }
    }

    /// <summary>Those of a shard, as a list of its own.</summary>
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
        SourceLedger<CoapChannel>.Source? own = _accepted.Find(sources.Of(newcomer.Remote));
        bool isFull = own?.Count >= limits.MaxConnectionsPerAddress;
        if (!isFull && _reliable < limits.MaxConnections)
        {
            return true;
        }

        long ofOwn = (own?.Amount ?? 0) + Heard;
        for (int i = 0; i < MaxSources; i++)
        {
            SourceLedger<CoapChannel>.Source? from = isFull ? own : _accepted.Greediest;
            if (from is null)
            {
                break;
            }

            if (FindIdle(from, now, isGreedy: from.Amount > ofOwn) is { } place)
            {
                Release(place);
                idle = place.Owner;
                return true;
            }

            // Others that hold as much may have an idle one.
            _accepted.Pass(from);
        }

        return false;
    }

    /// <summary>
    /// The one that gives way: whoever sent no CSM, then whoever has nothing under way, then the others; of those alike who asked for
    /// nothing for longest.
    /// </summary>
    private static SourceLedger<CoapChannel>.Holding? FindIdle(SourceLedger<CoapChannel>.Source source, long now, bool isGreedy)
    {
        SourceLedger<CoapChannel>.Holding? idle = null;
        (int Rank, long Since) worst = default;
        SourceLedger<CoapChannel>.Holding? at = source.First;
        for (int i = 0; i < MaxLookedAt && at is not null; i++, at = at.Links.Next)
        {
            CoapChannel channel = at.Owner;
            int rank = at.Amount == Silent ? 0 : channel is { Pins: 0, Requests: null or { Count: 0 } } ? 1 : 2;
            (int Rank, long Since) holder = (rank, channel.LastSeen);
            bool mayGo = isGreedy || (rank < 2 && now - holder.Since >= (rank == 0 ? s_patienceForCsm : s_patience).Ticks);
            if (mayGo && (idle is null || holder.CompareTo(worst) < 0))
            {
                idle = at;
                worst = holder;
            }
        }

        while (at is not null && source.First != at)
        {
            SourceLedger<CoapChannel>.Touch(source.First!);
        }

        return idle;
    }

    private void Release(SourceLedger<CoapChannel>.Holding place)
    {
        if (!place.IsOver)
        {
            place.IsOver = true;
            _accepted.Set(place, 0);
            _reliable--;
        }
    }
}
