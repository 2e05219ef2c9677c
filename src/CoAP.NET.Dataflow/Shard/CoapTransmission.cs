namespace CoAP.NET.Shard;

/// <summary>
/// A sent message that Messaging keeps until it is acknowledged, rejected, given up or cancelled (RFC 7252 section 4.2), or until a
/// Non-confirmable one has expired.
/// </summary>
internal sealed class CoapTransmission : WheelTimer
{
    // The period for retrying a message that cannot be protected now.
    private static readonly long s_again = TimeSpan.FromSeconds(1).Ticks;

    internal CoapTransmission(CoapChannel channel, CoapMessage message, ITransmissionOwner? owner)
    {
        Peer = channel;
        Message = message;
        Owner = owner;
    }

    /// <summary>The peer, which may be a protected one on the carrying channel.</summary>
    public CoapChannel Peer { get; }

    public CoapChannel Channel => Peer.Wire;

    /// <summary>The message, with its Message ID once it was sent. A newer notification may replace an outstanding one.</summary>
    public CoapMessage Message { get; internal set; }

    public int Attempts { get; internal set; }

    /// <summary>The requester, which gets the outcome; null when the outcome is not needed.</summary>
    internal ITransmissionOwner? Owner { get; }

    /// <summary>
    /// Whether the owner provides the message each time it is sent, as for a resource that may change until then (RFC 7641 section 4.5.2).
    /// </summary>
    internal bool IsRenewable { get; init; }

    /// <summary>
    /// Whether <see cref="Message"/> is already protected, for a protected <see cref="Peer"/>. Its copies have the same bytes.
    /// </summary>
    internal bool IsMessageProtected { get; private set; }

    /// <summary>Whether its next message cannot be protected yet. Under Shard.Gate.</summary>
    internal bool AwaitsProtection => Peer.Carried is { Peer.IsReady: false };

    /// <summary>Whether an owner waits for the outcome.</summary>
    internal bool IsAwaited => Owner is not null;

    // Guarded by Shard.Gate; used by Messaging only.
    internal byte[]? Encoded { get; set; }

    internal long Timeout { get; set; }

    /// <summary>The time of the first transmission, in units of 100 ns.</summary>
    internal long SentAt { get; set; }

    /// <summary>The back-off state; the timing defines its meaning.</summary>
    internal byte BackOff { get; set; }

    /// <summary>Message IDs of messages that newer ones replaced while outstanding.</summary>
    internal List<ushort>? Superseded { get; set; }

    /// <summary>Whether it answers a received message, so NSTART and PROBING_RATE do not delay it.</summary>
    internal bool IsReply { get; set; }

    /// <summary>Whether the sender controls the pace (RFC 9177 section 7.2), so NSTART and PROBING_RATE do not delay it.</summary>
    internal bool IsPaced { get; init; }

    /// <summary>Whether it waits only for a Message ID.</summary>
    internal bool PassesQueue => IsReply || IsPaced;

    /// <summary>
    /// Whether its copies draw on the budget of an unverified address (RFC 9175 section 2.4): true for traffic that peers cause, not for
    /// client requests.
    /// </summary>
    internal bool IsLimited { get; set; }

    /// <summary>Whether it carries or requests a block of a body after the first one (RFC 7959).</summary>
    internal bool IsOfBody { get; init; }

    /// <summary>Whether the owner wants <see cref="CoapInboundKind.Sent"/> for a Non-confirmable message.</summary>
    internal bool ReportsSent { get; init; }

    /// <summary>
    /// Whether it is a request with its state in the token: an acknowledgement with another token acknowledges it nevertheless (RFC 8974
    /// section 3.3).
    /// </summary>
    internal bool IsStateless { get; init; }

    /// <summary>The client for which it is sent (<see cref="CoapRequest.OnBehalfOf"/>); null for this endpoint itself.</summary>
    internal CoapQuotaSource? OnBehalfOf { get; set; }

    /// <summary>The number of its round among the waiting messages of its peer; each source has one message in a round.</summary>
    internal long Round { get; set; }

    /// <summary>Whether it counts against NSTART.</summary>
    internal bool CountsForNStart { get; set; }

    internal ListLinks<CoapTransmission> OutstandingTransmissionLinks;

    /// <summary>Its links in the queue of waiting messages; once sent, among those that are evicted for others.</summary>
    internal ListLinks<CoapTransmission> WaitingTransmissionLinks;

    /// <summary>Whether it is among the outstanding messages that are evicted for others.</summary>
    internal bool IsEvictable { get; set; }

    internal bool IsOutstanding { get; set; }

    internal bool IsQueued { get; set; }

    internal bool IsOver { get; set; }

    /// <summary>The maximum number of hops of a group message; 0 for the default of the operating system.</summary>
    internal byte HopLimit { get; init; }

    /// <summary>The error of the operating system, for <see cref="CoapInboundKind.SendFailed"/>.</summary>
    internal System.Net.Sockets.SocketError SendError { get; set; }

    /// <summary>
    /// When a renewable message (<see cref="IsRenewable"/>) may leave; it may now if that is not in the future. Under Shard.Gate.
    /// </summary>
    internal long MayLeaveAt(long now) => AwaitsProtection ? now + s_again : Owner!.MayLeaveAt(this, now);

    /// <summary>Sets a message in protected form.</summary>
    internal void SetProtected(CoapMessage message)
    {
        Message = message;
        IsMessageProtected = true;
    }

    /// <summary>
    /// Returns the message to send now, for a renewable one (<see cref="IsRenewable"/>): <see cref="Message"/> if there is no newer one,
    /// protected for a protected peer. Under Shard.Gate.
    /// </summary>
    /// <returns>Null when there is nothing to send any more, or it cannot be protected.</returns>
    internal CoapMessage? TakeNewest(long now)
    {
        CoapMessage? newest = Owner!.GetNewest(this, now);
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

    internal override void Fire(long now) => Channel.Shard.MessageTimers?.OnDue(this, now);
}
