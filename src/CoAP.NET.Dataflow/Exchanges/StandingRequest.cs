namespace CoAP.NET.Exchanges;

/// <summary>
/// A token towards a peer that any number of responses may come to: that of an observation (RFC 7641 section 3). It stands in the table of
/// tokens before the first message leaves and until it is closed, whatever becomes of the messages that carry it.
/// </summary>
internal sealed class StandingRequest : ITransmissionOwner
{
    private volatile LateNotifications _late;

    public StandingRequest(CoapChannel channel, IStandingOwner owner)
    {
        Channel = channel;
        Owner = owner;
    }

    public CoapChannel Channel { get; }

    public IStandingOwner Owner { get; }

    /// <summary>Given once, when it is opened.</summary>
    public CoapToken Token { get; set; }

    /// <summary>Whether it stands in the table. Guarded by Shard.Gate.</summary>
    public bool IsOpen { get; set; }

    /// <summary>
    /// The registration as it was sent last, where it was protected: what a proxy cut is asked for with the same bytes. Otherwise null.
    /// </summary>
    public CoapTransmission? Registration { get; set; }

    /// <summary>What becomes of notifications once nobody observes any more.</summary>
    public LateNotifications Late
    {
        get => _late;
        set => _late = value;
    }

    void ITransmissionOwner.OnFate(CoapTransmission transmission, CoapInboundKind fate) => Owner.OnTransmission(transmission, fate);

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        Owner.OnDisconnected(this, reason);
}
