namespace CoAP.NET.Signalling;

/// <summary>
/// What signalling keeps of one connection or session: all of it for a session, of which there may be very many. The timer is whatever it
/// waits for next. Guarded by the shard's lock, where nothing else is said.
/// </summary>
internal class ConnectionState(ConnectionWatch watch, CoapChannel channel, long now) : WheelTimer, IAfterRelease
{
    public ConnectionWatch Watch { get; } = watch;

    public CoapChannel Channel { get; } = channel;

    /// <summary>
    /// Whether requests and responses pass without a look at the connection: it is ready, and neither over nor about to be. Also read by
    /// the thread that receives, without the lock.
    /// </summary>
    public bool IsPlain
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether the peer's CSM came, so that other messages may (RFC 8323 section 3.3).</summary>
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
    /// Whether nothing more is sent or taken: Abort was sent or came, or the connection has ended. Also read without the lock.
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
    /// Whether the connection ends soon: Release came or was sent, or the peer ended its side. No new requests of ours go out on it (RFC
    /// 8323 section 5.5). Also read without the lock.
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

    /// <summary>When it is closed at the latest, in units of 100 ns.</summary>
    public long EndsAt { get; set; } = long.MaxValue;

    /// <summary>Why it is over, or will be.</summary>
    public CoapConnectionException? Reason { get; set; }

    /// <summary>
    /// When signalling of the peer was last heard, in units of 100 ns; of other messages <see cref="CoapChannel.LastSeen"/> says it.
    /// </summary>
    public long LastHeard { get; set; } = now;

    /// <summary>Ends when the connection has ended; made when somebody waits.</summary>
    public TaskCompletionSource? Ended { get; set; }

    // After the release, as what is looked at of a connection is another's code.
    internal sealed override void Fire(long now) => Channel.Shard.AfterRelease(this);

    void IAfterRelease.OnReleased(CoapShard shard) => Look();

    /// <summary>The time has come that this waited for. No lock may be held.</summary>
    protected virtual void Look()
    {
        Channel.Shard.Enter();
        try
        {
            Watch.JudgeSession(this, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.Exit();
        }
    }

    private void SetPlain() => IsPlain = IsReady && !IsOver && !IsReleasing;
}
