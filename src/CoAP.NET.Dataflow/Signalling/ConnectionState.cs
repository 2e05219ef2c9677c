using CoAP.NET.Channels;

namespace CoAP.NET.Signalling;

/// <summary>What signalling keeps for one connection (RFC 8323 section 5). The timer is whatever the connection waits for next. Guarded by the shard's lock, where nothing else is said.</summary>
internal sealed class ConnectionState(SignallingLayer layer, CoapChannel channel, long now) : WheelTimer
{
    public CoapChannel Channel { get; } = channel;

    public long OpenedAt { get; } = now;

    /// <summary>Whether the peer's CSM came, so that other messages may (RFC 8323 section 3.3). Also read by the thread that receives, without the lock.</summary>
    public bool IsReady
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether nothing more is sent or taken: Abort was sent or came, or the connection has ended. Also read without the lock.</summary>
    public bool IsOver
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Why it is over.</summary>
    public CoapConnectionException? Reason { get; set; }

    /// <summary>When the peer was last heard, in units of 100 ns. Written by the thread that receives, without the lock.</summary>
    public long LastHeard { get; set; } = now;

    /// <summary>Messages that change until they leave (<see cref="ITransmissionSource"/>) and wait for room on the connection.</summary>
    public LinkedList<CoapTransmission> Waiting { get; } = new();

    internal override void Fire(long now) => layer.OnDue(this, now);
}
