namespace CoAP.NET.Shard;

/// <summary>
/// A message of ours that Messaging keeps until it is acknowledged, rejected, given up or cancelled (RFC 7252 section 4.2), or until a
/// Non-confirmable one is over.
/// </summary>
internal sealed class CoapTransmission : WheelTimer
{
    // When what cannot be protected now is looked at again.
    private static readonly long s_again = TimeSpan.FromSeconds(1).Ticks;

    internal CoapTransmission(CoapChannel channel, CoapMessage message, ITransmissionOwner? owner)
    {
        Peer = channel;
        Message = message;
        Owner = owner;
    }

    /// <summary>The peer, which may be one behind the channel that carries its protected messages.</summary>
    public CoapChannel Peer { get; }

    /// <summary>The channel by which the message leaves.</summary>
    public CoapChannel Channel => Peer.Wire;

    /// <summary>
    /// The message, with its Message ID once it was sent. A notification that is outstanding may be replaced by a newer one.
    /// </summary>
    public CoapMessage Message
    {
        get;
        internal set
        {
            // It is kept beyond its encoding.
            value.IsLent = false;
            field = value;
        }
    }

    /// <summary>How many times it was sent so far.</summary>
    public int Attempts { get; internal set; }

    /// <summary>Whoever asked for it and is told what becomes of it; null when nobody waits for that.</summary>
    internal ITransmissionOwner? Owner { get; }

    /// <summary>
    /// Whether the owner is asked for the message each time that it is sent, as of a resource that may change until then (RFC 7641 section
    /// 4.5.2).
    /// </summary>
    internal bool IsRenewable { get; init; }

    /// <summary>
    /// Whether <see cref="Message"/> is protected already, where <see cref="Peer"/> is a protected peer. Its copies have the same bytes.
    /// </summary>
    internal bool IsMessageProtected { get; private set; }

    /// <summary>Whether its next message cannot be protected yet. Under Shard.Gate.</summary>
    internal bool AwaitsProtection => Peer.Carried is { Peer.IsReady: false };

    /// <summary>Whether somebody waits for what becomes of it.</summary>
    internal bool IsAwaited => Owner is not null;

    // Guarded by Shard.Gate; used by Messaging only.
    internal byte[]? Encoded { get; set; }

    internal long Timeout { get; set; }

    /// <summary>When it was sent first, in units of 100 ns.</summary>
    internal long SentAt { get; set; }

    internal ulong Place { get; set; }

    /// <summary>How it backs off; what the number means is up to the timing.</summary>
    internal byte BackOff { get; set; }

    /// <summary>Message IDs of messages that were replaced by newer ones while outstanding.</summary>
    internal List<ushort>? Superseded { get; set; }

    /// <summary>Whether it answers a reception, so that NSTART and PROBING_RATE do not hold it up.</summary>
    internal bool IsReply { get; set; }

    /// <summary>
    /// Whether whoever sends it keeps a pace of its own (RFC 9177 section 7.2), so that NSTART and PROBING_RATE do not hold it up.
    /// </summary>
    internal bool IsPaced { get; init; }

    /// <summary>Whether it waits for nothing but a Message ID.</summary>
    internal bool PassesQueue => IsReply || IsPaced;

    /// <summary>
    /// Whether its copies draw on what an unverified address may get (RFC 9175 section 2.4): so for what peers cause, not for requests of
    /// our own.
    /// </summary>
    internal bool IsLimited { get; set; }

    /// <summary>Whether <see cref="CoapInboundKind.Sent"/> is wanted of a Non-confirmable message.</summary>
    internal bool TellsWhenSent { get; init; }

    /// <summary>
    /// Whether it is a request whose state is in its token: an acknowledgement with another token acknowledges it nevertheless (RFC 8974
    /// section 3.3).
    /// </summary>
    internal bool IsStateless { get; init; }

    /// <summary>Whether it counts towards NSTART.</summary>
    internal bool CountsForNStart { get; set; }

    /// <summary>
    /// Its neighbours among the messages that wait for their turn, and once it was sent among those that give way to others.
    /// </summary>
    internal ChainLinks<CoapTransmission> WaitingLinks;

    /// <summary>Whether it stands among the outstanding messages that give way to others.</summary>
    internal bool GivesWay { get; set; }

    internal bool IsOutstanding { get; set; }

    internal bool IsQueued { get; set; }

    internal bool IsOver { get; set; }

    /// <summary>How many routers a message to a group may pass; 0 for the operating system's default.</summary>
    internal byte HopLimit { get; init; }

    /// <summary>Why the operating system refused it, with <see cref="CoapInboundKind.SendFailed"/>.</summary>
    internal System.Net.Sockets.SocketError SendError { get; set; }

    /// <summary>When one whose <see cref="IsRenewable"/> is set may go; not after now when it may. Under Shard.Gate.</summary>
    internal long MayBeTakenAt(long now) => AwaitsProtection ? now + s_again : Owner!.MayBeTakenAt(this, now);

    /// <summary>Takes a message in protected form.</summary>
    internal void SetProtected(CoapMessage message)
    {
        Message = message;
        IsMessageProtected = true;
    }

    /// <summary>
    /// The message to send now, of one whose <see cref="IsRenewable"/> is set: <see cref="Message"/> when there is no newer one, protected
    /// where the peer is. Under Shard.Gate.
    /// </summary>
    /// <returns>Null when nothing is to be sent any more, or it cannot be protected.</returns>
    internal CoapMessage? TakeNewest(long now)
    {
        CoapMessage? newest = Owner!.Take(this, now);
        if (newest is null || Peer.Carried is not { } carried || (IsMessageProtected && ReferenceEquals(newest, Message)))
        {
            return newest;
        }

        if (!carried.Peer.TryProtect(newest, out CoapMessage? message))
        {
            return null;
        }

        message.Type = newest.Type;
        IsMessageProtected = true;
        return message;
    }

    internal override void Fire(long now) => Channel.Shard.Drain.Messages?.OnTransmissionDue(this, now);
}
