namespace CoAP.NET.Peers;

/// <summary>
/// What the table of peers keeps in each channel: touched when the order of peers changes, not by each request. Guarded by Shard.Gate.
/// </summary>
internal struct ChannelLinks
{
    /// <summary>Its neighbours in a <see cref="ChannelList"/>.</summary>
    public ChainLinks<CoapChannel> Neighbours;

    /// <summary>See <see cref="CoapChannel.AddressHash"/>.</summary>
    public ulong AddressHash;

    /// <summary>See <see cref="CoapChannel.FirstSeen"/>.</summary>
    public long FirstSeen;

    /// <summary>See <see cref="CoapChannel.Pins"/>.</summary>
    public int Pins;
}
