namespace CoAP.NET.Exchanges;

/// <summary>
/// A token for a peer with any number of responses: that of an observation (RFC 7641 section 3), or of a message of a body (RFC 9177). It
/// is in the table of the peer (<see cref="PeerExchanges.MultiResponseTokens"/>) from before the first message until it is closed, whatever
/// the outcome of the messages with it.
/// </summary>
internal sealed class MultiResponseToken : ITransmissionOwner
{
    private volatile NotificationHandling _notifications;

    public MultiResponseToken(CoapChannel channel, ITokenOwner owner)
    {
        Channel = channel;
        Owner = owner;
    }

    public CoapChannel Channel { get; }

    public ITokenOwner Owner { get; }

    /// <summary>Set once, when the request is opened.</summary>
    public CoapToken Token { get; set; }

    /// <summary>Whether it is in the table. Guarded by Shard.Gate.</summary>
    public bool IsOpen { get; set; }

    /// <summary>
    /// The registration as last sent, if it was protected: blocks that a proxy cut are requested with the same bytes. Otherwise null.
    /// </summary>
    public CoapTransmission? Registration { get; set; }

    /// <summary>How to handle notifications after the end of the observation.</summary>
    public NotificationHandling Notifications
    {
        get => _notifications;
        set => _notifications = value;
    }

    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate) =>
        Owner.OnTransmission(transmission, fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        Owner.OnDisconnected(this, reason);
}
