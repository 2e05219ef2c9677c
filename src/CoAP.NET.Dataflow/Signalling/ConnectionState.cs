using CoAP.NET.Channels;

namespace CoAP.NET.Signalling;

/// <summary>What signalling keeps for one connection (RFC 8323 section 5). The timer is whatever the connection waits for next. Guarded by the shard's lock, where nothing else is said.</summary>
internal sealed class ConnectionState(SignallingLayer layer, CoapChannel channel, long now) : WheelTimer
{
    public SignallingLayer Layer { get; } = layer;

    public CoapChannel Channel { get; } = channel;

    public long OpenedAt { get; } = now;

    /// <summary>Whether requests and responses pass without a look at the connection: it is ready, and neither over nor about to be. Also read by the thread that receives, without the lock.</summary>
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

    /// <summary>Whether nothing more is sent or taken: Abort was sent or came, or the connection has ended. Also read without the lock.</summary>
    public bool IsOver
    {
        get => Volatile.Read(ref field);
        set
        {
            Volatile.Write(ref field, value);
            SetPlain();
        }
    }

    /// <summary>Whether the connection ends soon: Release came or was sent, or the peer ended its side. No new requests of ours go out on it (RFC 8323 section 5.5). Also read without the lock.</summary>
    public bool IsReleasing
    {
        get => Volatile.Read(ref field);
        set
        {
            Volatile.Write(ref field, value);
            SetPlain();
        }
    }

    /// <summary>Whether the peer asked for the end, or will send nothing more, so that we close as soon as nothing is under way.</summary>
    public bool ClosesWhenQuiet { get; set; }

    /// <summary>Whether the peer ended its side, so that no response of it is to come.</summary>
    public bool IsHalfClosed { get; set; }

    /// <summary>When it is closed at the latest, in units of 100 ns.</summary>
    public long EndsAt { get; set; } = long.MaxValue;

    /// <summary>How long the peer asked not to be connected to again (RFC 8323 section 5.5); null when it did not.</summary>
    public TimeSpan? HoldOff { get; set; }

    /// <summary>Where the peer asked to connect to instead (RFC 8323 section 5.5).</summary>
    public IReadOnlyList<string> AlternativeAddresses { get; set; } = [];

    /// <summary>Why it is over, or will be.</summary>
    public CoapConnectionException? Reason { get; set; }

    /// <summary>When signalling of the peer was last heard, in units of 100 ns; of other messages <see cref="CoapChannel.LastSeen"/> says it.</summary>
    public long LastHeard { get; set; } = now;

    /// <summary>When something other than Ping and Pong was last exchanged, as far as <see cref="CoapChannel.LastSeen"/> does not say it.</summary>
    public long LastUsed { get; set; } = now;

    /// <summary>When the Ping was sent after which nothing was heard yet; null without one.</summary>
    public long? PingSentAt { get; set; }

    /// <summary>How far the transport was when it was last looked at.</summary>
    public ProgressWatch Progress = new();

    /// <summary>Pings of users that wait for their Pong, by token; made when first needed.</summary>
    public Dictionary<CoapToken, CoapTransmission>? Pings { get; set; }

    /// <summary>Pings of the peer whose Pong waits until what came before is answered (RFC 8323 section 5.4.1); made when first needed.</summary>
    public CustodyPings? Custody { get; set; }

    /// <summary>Messages that change until they leave (<see cref="ITransmissionSource"/>) and wait for room on the connection.</summary>
    public LinkedList<CoapTransmission> Waiting => field ??= new();

    /// <summary>Ends when the connection is ready, or over; made when somebody waits.</summary>
    public TaskCompletionSource? Ready { get; set; }

    /// <summary>Ends when the connection has ended; made when somebody waits.</summary>
    public TaskCompletionSource? Ended { get; set; }

    internal override void Fire(long now) => Layer.OnDue(this);

    private void SetPlain() => IsPlain = IsReady && !IsOver && !IsReleasing;
}
