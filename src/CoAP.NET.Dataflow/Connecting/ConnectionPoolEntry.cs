namespace CoAP.NET.Connecting;

/// <summary>
/// The state of one target in the pool: its connection, the running attempt to open one, and the data for the next attempt. Guarded by
/// the lock of the pool.
/// </summary>
internal sealed class ConnectionPoolEntry(ConnectionKey key) : IPeerFeatureState
{
    public ConnectionKey Key { get; } = key;

    /// <summary>Returns the entry for which a connection was opened; null for other connections. Guarded by the lock of the pool.</summary>
    public static ConnectionPoolEntry? Of(CoapChannel channel) => channel.FeatureState<ConnectionPoolEntry>(PeerFeatureKind.Connecting);

    /// <summary>The connection that requests use; null when there is none.</summary>
    public CoapChannel? Channel { get; set; }

    /// <summary>When <see cref="Channel"/> was opened, in units of 100 ns.</summary>
    public long OpenedAt { get; set; }

    /// <summary>The attempt that runs, or waits for the end of the delay.</summary>
    public ConnectionAttempt? Attempt { get; set; }

    /// <summary>Number of consecutive connections that could not be opened, or failed soon after.</summary>
    public int Failures { get; set; }

    /// <summary>The message of the last failed attempt; null when there is none.</summary>
    public string? LastFailure { get; set; }

    /// <summary>The end of the delay after a failure, in units of 100 ns.</summary>
    public long NextAttemptAt { get; set; } = long.MinValue;

    /// <summary>The end of the time for which the peer requested no connection (RFC 8323 section 5.5), in units of 100 ns.</summary>
    public long HeldOffUntil { get; set; } = long.MinValue;

    /// <summary>
    /// The alternative addresses of the peer (RFC 8323 section 5.5): for the next connection, or for all while it is held off.
    /// </summary>
    public IReadOnlyList<string> Alternatives { get; set; } = [];

    /// <summary>The last connection and the cause of its abort; null if it ended without one.</summary>
    public (CoapChannel Channel, string Cause)? LastAbort { get; set; }

    /// <summary>The same for the connection before the last one.</summary>
    public (CoapChannel Channel, string Cause)? AbortBefore { get; set; }

    /// <summary>Whether the peer requested no connection, without an alternative address.</summary>
    public bool IsHeldOff(long now) => HeldOffUntil > now && Alternatives.Count == 0;

    /// <summary>Whether the next attempt needs the entry when there is no connection.</summary>
    public bool HasDataForNextAttempt(long now) => Failures > 0 || HeldOffUntil > now || Alternatives.Count > 0 || LastAbort is not null;

    public override string ToString() => Key.ToString();
}
