using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Connecting;

/// <summary>
/// The targets of a <see cref="ConnectionPool"/>, including the memory of those without a connection. Guarded by its lock, under which no
/// lock is taken except that of a shard, briefly.
/// </summary>
/// <param name="environment">For options, clock and random numbers.</param>
internal sealed class ConnectionTargets(CoapEnvironment environment)
{
    // Targets without a connection of which something is remembered; the oldest is forgotten first.
    private const int MaxRemembered = 1024;

    private readonly CoapStreamOptions _options = environment.Streams;
    private readonly Dictionary<ConnectionKey, ConnectionPoolEntry> _targets = [];
    private readonly LruDictionary<ConnectionKey, ConnectionPoolEntry> _remembered = new(MaxRemembered);
    private JitterSequence _jitter = new(environment.Random.NextUInt64());

    /// <summary>The lock of the pool.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Whether no more connections are opened.</summary>
    public bool IsStopped { get; set; }

    /// <summary>Targets that are known: with a connection, an attempt or a past.</summary>
    public int Count => _targets.Count;

    public IEnumerable<ConnectionPoolEntry> All => _targets.Values;

    /// <summary>Why a connection was aborted, to compare it with another one.</summary>
    public static string CauseOf(CoapConnectionException error) => error.Diagnostic ?? error.Message;

    public bool TryGet(ConnectionKey key, [MaybeNullWhen(false)] out ConnectionPoolEntry target) => _targets.TryGetValue(key, out target);

    /// <summary>The target of a key, which is made when nothing is known of it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="usable">Its connection; null when there is none.</param>
    public ConnectionPoolEntry Get(ConnectionKey key, out CoapChannel? usable)
    {
        usable = null;
        if (_targets.TryGetValue(key, out ConnectionPoolEntry? target))
        {
            usable = UsableOf(target);
        }

        // The unusable target may have been removed.
        if (target is null || !_targets.ContainsKey(key))
        {
            _targets[key] = target = new ConnectionPoolEntry(key);
        }

        return target;
    }

    /// <summary>The connection of a target, where new requests may go out on it.</summary>
    public CoapChannel? UsableOf(ConnectionPoolEntry target)
    {
        if (target.Channel is not { } channel || ConnectionStatusReader.IsUsable(channel))
        {
            return target.Channel;
        }

        Remove(target, channel);
        return null;
    }

    /// <summary>A connection is not used for new requests any more.</summary>
    public void Remove(ConnectionPoolEntry target, CoapChannel channel)
    {
        target.Channel = null;
        long now = environment.Now;
        ConnectionEnd end = ConnectionStatusReader.EndOf(channel);
        if (end.HoldOff is { } holdOff && holdOff > TimeSpan.Zero)
        {
            target.HeldOffUntil = now + holdOff.Ticks;
        }

        // A browser connects to the host of the URI only.
        if (end.AlternativeAddresses.Count > 0 && !environment.IsInBrowser)
        {
            target.Alternatives = end.AlternativeAddresses;
        }

        target.AbortBefore = target.LastAbort;
        target.LastAbort = end.Reason is { Error: CoapError.Aborted } aborted ? (channel, CauseOf(aborted)) : null;
        if (WasOfUse(target, channel, end, now))
        {
            target.Failures = 0;
        }
        else
        {
            CountFailure(target, now);
        }

        Keep(target, now);
    }

    /// <summary>A connection could not be opened, or was of no use: the next one waits longer.</summary>
    public void CountFailure(ConnectionPoolEntry target, long now)
    {
        long wait = RetryDelayCalculator.Of(target.Failures, _options.ReconnectDelay, _options.MaxReconnectDelay, _jitter.Next());
        target.NextAttemptAt = now > long.MaxValue - wait ? long.MaxValue : now + wait;
        target.Failures++;
    }

    /// <summary>Remembers a target that has neither a connection nor an attempt for as long as there is room, or forgets it.</summary>
    public void Keep(ConnectionPoolEntry target, long now)
    {
        if (target.Channel is not null || target.Attempt is not null)
        {
            return;
        }

        if (!target.IsMemorable(now))
        {
            Forget(target);
            return;
        }

        if (_remembered.Set(target.Key, target, out KeyValuePair<ConnectionKey, ConnectionPoolEntry> evicted))
        {
            _targets.Remove(evicted.Key);
        }
    }

    /// <summary>A target has an attempt again, or is forgotten.</summary>
    public void Unlist(ConnectionPoolEntry target) => _remembered.Remove(target.Key, out _);

    // One that is lost again and again right after it was opened must not be opened without end. But one that brought what was asked for
    // was no failure, however short it was.
    private bool WasOfUse(ConnectionPoolEntry target, CoapChannel channel, ConnectionEnd end, long now)
    {
        // The CSM, a message, and what ended the connection if that was a message. In a session a message is enough.
        int frames = !channel.IsReliable ? 1 : end.Reason?.Error is CoapError.Aborted or CoapError.Released ? 3 : 2;
        return end.Reason?.Error == CoapError.ClosedLocally || (end.WasReady
            && (now - target.OpenedAt >= RetryDelayCalculator.Of(target.Failures, _options.ReconnectDelay, _options.MaxReconnectDelay, 1)
                || channel.Connection!.Progress.FramesReceived >= frames));
    }

    private void Forget(ConnectionPoolEntry target)
    {
        Unlist(target);
        _targets.Remove(target.Key);
    }
}
