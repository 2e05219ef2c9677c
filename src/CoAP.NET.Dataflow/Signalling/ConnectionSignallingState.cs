namespace CoAP.NET.Signalling;

/// <summary>
/// The signalling state of one connection or session; complete for a session, of which there may be very many. The timer covers the next
/// event. Guarded by the shard's lock, unless stated otherwise.
/// </summary>
internal class ConnectionSignallingState(ConnectionMonitor watch, CoapChannel channel)
    : WheelTimer, IDeferredWork, IPeerFeatureState
{
    // Null for nearly all connections: nothing ends the connection, and no caller waits for its end.
    private Ending? _ending;

    public ConnectionMonitor Watch { get; } = watch;

    public CoapChannel Channel { get; } = channel;

    /// <summary>Returns the signalling state of a connection or session; null for none. Guarded by Shard.Gate.</summary>
    public static ConnectionSignallingState? Of(CoapChannel channel) =>
        channel.FeatureState<ConnectionSignallingState>(PeerFeatureKind.Signalling);

    /// <summary>Sets the signalling state of a connection or session; null for none. Guarded by Shard.Gate.</summary>
    public static void Set(CoapChannel channel, ConnectionSignallingState? state) =>
        channel.SetFeatureState(PeerFeatureKind.Signalling, state);

    /// <summary>
    /// Whether requests and responses pass without a check of the connection: it is ready, and not ending. The receiving thread also reads
    /// it without the lock.
    /// </summary>
    public bool IsPlain
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether the peer's CSM arrived, so other messages are allowed (RFC 8323 section 3.3).</summary>
    public bool IsReady
    {
        get;
        set
        {
            field = value;
            SetPlain();
        }
    }

    /// <summary>
    /// Whether nothing more is sent or accepted: an Abort was sent or received, or the connection has ended. Also read without the lock.
    /// </summary>
    public bool IsOver
    {
        get => Volatile.Read(ref field);
        set
        {
            Volatile.Write(ref field, value);
            SetPlain();
        }
    }

    /// <summary>
    /// Whether the connection ends soon: a Release was sent or received, or the peer ended its side. No new requests to the peer use it
    /// (RFC 8323 section 5.5). Also read without the lock.
    /// </summary>
    public bool IsReleasing
    {
        get => Volatile.Read(ref field);
        set
        {
            Volatile.Write(ref field, value);
            SetPlain();
        }
    }

    /// <summary>The latest time of closing, in units of 100 ns.</summary>
    public long EndsAt
    {
        get => _ending?.At ?? long.MaxValue;
        set => EndingState.At = value;
    }

    /// <summary>The reason of the present or coming end.</summary>
    public CoapConnectionException? Reason
    {
        get => _ending?.Reason;
        set => EndingState.Reason = value;
    }

    /// <summary>
    /// Set for a session of an endpoint that stops: completes when nothing is pending. The session then stays open until its last datagram
    /// has passed the mesh.
    /// </summary>
    public TaskCompletionSource? Quiet
    {
        get => _ending?.Quiet;
        set => EndingState.Quiet = value;
    }

    /// <summary>Completes when the connection has ended; created for the first waiter.</summary>
    public TaskCompletionSource? Ended
    {
        get => _ending?.Ended;
        set => EndingState.Ended = value;
    }

    private Ending EndingState => _ending ??= new Ending();

    // After the lock is released, because the connection's progress is foreign code.
    internal sealed override void Fire(long now) => Channel.Shard.AfterRelease(this);

    void IDeferredWork.OnReleased(CoapShard shard) => Look();

    /// <summary>Handles the timer. The caller must hold no lock.</summary>
    protected virtual void Look()
    {
        Channel.Shard.Enter();
        try
        {
            Watch.JudgeSession(this, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    private void SetPlain() => IsPlain = IsReady && !IsOver && !IsReleasing;

    private sealed class Ending
    {
        public long At = long.MaxValue;
        public CoapConnectionException? Reason;
        public TaskCompletionSource? Quiet;
        public TaskCompletionSource? Ended;
    }
}
