using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Connecting;

/// <summary>
/// The entries of a <see cref="ConnectionPool"/>, one for each target. An entry without a connection stays while it has data for the next
/// attempt. Guarded by <see cref="Gate"/>, under which no lock is taken except that of a shard, briefly.
/// </summary>
/// <param name="environment">For options, clock and random numbers.</param>
internal sealed class ConnectionPoolEntries(CoapEnvironment environment)
{
    // The maximum number of entries without a connection or an attempt; the oldest one is evicted first.
    private const int MaxUnconnected = 1024;

    private readonly CoapStreamOptions _options = environment.Streams;
    private readonly Dictionary<ConnectionKey, ConnectionPoolEntry> _entries = [];
    private readonly LruDictionary<ConnectionKey, ConnectionPoolEntry> _unconnected = new(MaxUnconnected);
    private JitterSequence _jitter = new(environment.Random.NextUInt64());

    /// <summary>The lock of the pool.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Number of known targets.</summary>
    public int Count => _entries.Count;

    public IEnumerable<ConnectionPoolEntry> All => _entries.Values;

    /// <summary>Returns the cause of an abort, to compare it with that of another one.</summary>
    public static string CauseOf(CoapConnectionException error) => error.Diagnostic ?? error.Message;

    public bool TryGet(ConnectionKey key, [MaybeNullWhen(false)] out ConnectionPoolEntry entry) => _entries.TryGetValue(key, out entry);

    /// <summary>Returns the entry of a key; creates it if it is missing.</summary>
    /// <param name="key">The key.</param>
    /// <param name="usable">Its connection; null when there is none.</param>
    public ConnectionPoolEntry GetOrAdd(ConnectionKey key, out CoapChannel? usable)
    {
        usable = null;
        if (_entries.TryGetValue(key, out ConnectionPoolEntry? entry))
        {
            usable = UsableOf(entry);
        }

        // The unusable entry may have been removed.
        if (entry is null || !_entries.ContainsKey(key))
        {
            _entries[key] = entry = new ConnectionPoolEntry(key);
        }

        return entry;
    }

    /// <summary>Returns the connection of an entry if new requests can use it; null otherwise.</summary>
    public CoapChannel? UsableOf(ConnectionPoolEntry entry)
    {
        if (entry.Channel is not { } channel || ConnectionStatusReader.IsUsable(channel))
        {
            return entry.Channel;
        }

        RemoveConnection(entry, channel);
        return null;
    }

    /// <summary>Removes a connection from its entry: new requests do not use it.</summary>
    public void RemoveConnection(ConnectionPoolEntry entry, CoapChannel channel)
    {
        entry.Channel = null;
        long now = environment.Now;
        ConnectionEnd end = ConnectionStatusReader.EndOf(channel);
        if (end.HoldOff is { } holdOff && holdOff > TimeSpan.Zero)
        {
            entry.HeldOffUntil = now + holdOff.Ticks;
        }

        // A browser connects to the host of the URI only.
        if (end.AlternativeAddresses.Count > 0 && !environment.IsInBrowser)
        {
            entry.Alternatives = end.AlternativeAddresses;
        }

        entry.AbortBefore = entry.LastAbort;
        entry.LastAbort = end.Reason is { Error: CoapError.Aborted } aborted ? (channel, CauseOf(aborted)) : null;
        if (HasSucceeded(entry, channel, end, now))
        {
            entry.Failures = 0;
        }
        else
        {
            CountFailure(entry, now);
        }

        KeepUnconnected(entry, now);
    }

    /// <summary>Counts a connection that could not be opened, or failed soon after. The delay of the next attempt grows.</summary>
    public void CountFailure(ConnectionPoolEntry entry, long now)
    {
        long wait = ExponentialBackOff.Of(entry.Failures, _options.ReconnectDelay, _options.MaxReconnectDelay, _jitter.Next());
        entry.NextAttemptAt = now > long.MaxValue - wait ? long.MaxValue : now + wait;
        entry.Failures++;
    }

    /// <summary>Keeps an entry without a connection and an attempt, or removes it if it has no data for the next attempt.</summary>
    public void KeepUnconnected(ConnectionPoolEntry entry, long now)
    {
        if (entry.Channel is not null || entry.Attempt is not null)
        {
            return;
        }

        if (!entry.HasDataForNextAttempt(now))
        {
            RemoveFromUnconnected(entry);
            _entries.Remove(entry.Key);
            return;
        }

        if (_unconnected.Set(entry.Key, entry, out KeyValuePair<ConnectionKey, ConnectionPoolEntry> evicted))
        {
            _entries.Remove(evicted.Key);
        }
    }

    /// <summary>Records that an entry is no longer without an attempt: it cannot be evicted.</summary>
    public void RemoveFromUnconnected(ConnectionPoolEntry entry) => _unconnected.Remove(entry.Key, out _);

    // A connection that closes soon after it opened counts as a failure, unless a message arrived on it: otherwise a pool would reopen a
    // connection without end whose peer closes it each time.
    private bool HasSucceeded(ConnectionPoolEntry entry, CoapChannel channel, ConnectionEnd end, long now)
    {
        // The CSM, a message, and what ended the connection if that was a message. In a session a message is enough.
        int frames = !channel.IsReliable ? 1 : end.Reason?.Error is CoapError.Aborted or CoapError.Released ? 3 : 2;
        return end.Reason?.Error == CoapError.ClosedLocally || (end.WasReady
            && (now - entry.OpenedAt >= ExponentialBackOff.Of(entry.Failures, _options.ReconnectDelay, _options.MaxReconnectDelay, 1)
                || channel.Connection!.Progress.FramesReceived >= frames));
    }
}
