namespace CoAP.NET.Shard;

/// <summary>
/// A received Confirmable or Non-confirmable message on its way to a reply: Messaging needs it to piggyback the response, to acknowledge in
/// time and to answer duplicates.
/// </summary>
internal class ReceivedMessage : WheelTimer
{
    internal ReceivedMessage(CoapChannel channel, CoapMessageType type, ushort messageId)
    {
        Channel = channel;
        Type = type;
        MessageId = messageId;
    }

    public CoapChannel Channel { get; }

    /// <summary>Confirmable or Non-confirmable.</summary>
    public CoapMessageType Type { get; }

    public ushort MessageId { get; }

    // Guarded by Shard.Gate.
    internal ReceivedMessageState State { get; set; }

    internal CoapCode Code { get; set; }

    internal uint Hash { get; set; }

    internal bool IsMulticast { get; set; }

    /// <summary>The size of its datagram in bytes.</summary>
    internal ushort Length { get; set; }

    internal long ReceivedAt { get; set; }

    /// <summary>For Messaging: whether it is among the running exchanges of the duplicate memory.</summary>
    internal bool IsRemembered { get; set; }

    internal sealed override void Fire(long now) => Channel.Shard.MessageTimers?.OnDue(this, now);
}
