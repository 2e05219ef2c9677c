namespace CoAP.NET.Connecting;

/// <summary>
/// The state of one target in the pool: its connection, the running attempt to open one, and the memory of failed attempts. Guarded by the
/// lock of the pool.
/// </summary>
internal sealed class ConnectionPoolEntry(ConnectionKey key) : IPeerFeatureState
{
    public ConnectionKey Key { get; } = key;

    /// <summary>Returns the target that opened a connection for requests; null for others. Guarded by the lock of the pool.</summary>
    public static ConnectionPoolEntry? Of(CoapChannel channel) => channel.Part<ConnectionPoolEntry>(PeerFeatureKind.Connecting);

    /// <summary>The connection that requests use; null when there is none.</summary>
    public CoapChannel? Channel { get; set; }

    /// <summary>When <see cref="Channel"/> was opened, in units of 100 ns.</summary>
    public long OpenedAt { get; set; }

    /// <summary>The attempt that is under way, or waits until it may begin.</summary>
    public ConnectionAttempt? Attempt { get; set; }

    /// <summary>How many connections in a row could not be opened, or were lost at once.</summary>
    public int Failures { get; set; }

    /// <summary>Why the last attempt to open one failed; null for no reason.</summary>
    public string? LastFailure { get; set; }

    /// <summary>When the next connection may be opened, in units of 100 ns.</summary>
    public long NextAttemptAt { get; set; } = long.MinValue;

    /// <summary>Until when the peer asked not to be connected to (RFC 8323 section 5.5), in units of 100 ns.</summary>
    public long HeldOffUntil { get; set; } = long.MinValue;

    /// <summary>
    /// The address that the peer asked to connect to instead: for the next connection, or for all while the target is held off.
    /// </summary>
    public IReadOnlyList<string> Alternatives { get; set; } = [];

    /// <summary>The last connection that was aborted, and why; null when the last one ended otherwise.</summary>
    public (CoapChannel Channel, string Cause)? LastAbort { get; set; }

    /// <summary>Like <see cref="LastAbort"/>, of the connection before that one.</summary>
    public (CoapChannel Channel, string Cause)? AbortBefore { get; set; }

    /// <summary>Whether it must not be connected to, and there is no other address to connect to.</summary>
    public bool IsHeldOff(long now) => HeldOffUntil > now && Alternatives.Count == 0;

    /// <summary>Whether there is anything to remember when there is no connection.</summary>
    public bool IsMemorable(long now) => Failures > 0 || HeldOffUntil > now || Alternatives.Count > 0 || LastAbort is not null;

    public override string ToString() => Key.ToString();
}
