using CoAP.NET.Channels;

namespace CoAP.NET.Blockwise;

/// <summary>Something that is kept for a peer between its blocks, for a time and within a bound. Guarded by Shard.Gate.</summary>
internal abstract class BodyEntry : WheelTimer
{
    private static readonly long s_longest = TimeSpan.FromDays(300).Ticks;

    protected BodyEntry(BodyKey key, CoapChannel channel)
    {
        Key = key;
        Channel = channel;
    }

    public BodyKey Key { get; }

    public CoapChannel Channel { get; }

    /// <summary>Called under the lock when nothing was heard for too long. Set by the table.</summary>
    public Action<BodyEntry>? Expired { get; set; }

    /// <summary>When it was used last, in units of 100 ns.</summary>
    public long LastUse { get; set; }

    /// <summary>How many bytes of the bound for all it takes.</summary>
    public long Charge { get; set; }

    /// <summary>How many bytes of its peer's share it takes; what is shared with others counts in full.</summary>
    public long PeerCharge { get; set; }

    /// <summary>Whether the share is that of the newcomers.</summary>
    public bool IsNewcomers { get; set; }

    /// <summary>The place among the entries of the peer; the first was idle longest.</summary>
    public LinkedListNode<BodyEntry>? PeerPlace { get; set; }

    /// <summary>The place among all entries of the shard; the first was idle longest.</summary>
    public LinkedListNode<BodyEntry>? Place { get; set; }

    /// <summary>
    /// How long it is kept without being used: EXCHANGE_LIFETIME, within which the peer may still send copies; and, where that is longer, MAX_TRANSMIT_WAIT, for which a
    /// peer that has used all its Message IDs may be silent before it goes on.
    /// </summary>
    public virtual long IdleTime
    {
        get
        {
            CoapTransmissionParameters parameters = Channel.Parameters;
            return Math.Min(Math.Max(parameters.ExchangeLifetime.Ticks, parameters.MaxTransmitWait.Ticks), s_longest);
        }
    }

    internal override void Fire(long now) => Expired?.Invoke(this);
}
