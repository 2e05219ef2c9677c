namespace CoAP.NET.Peers;

/// <summary>
/// The fields of the table of peers in each channel. They change with the order of peers, not with each request. Guarded by Shard.Gate.
/// </summary>
internal struct ChannelLinks
{
    /// <summary>The neighbours in a <see cref="ChannelList"/>.</summary>
    public ListLinks<CoapChannel> Neighbours;

    /// <summary>See <see cref="CoapChannel.AddressHash"/>.</summary>
    public ulong AddressHash;

    /// <summary>See <see cref="CoapChannel.FirstSeen"/>.</summary>
    public long FirstSeen;

    /// <summary>See <see cref="CoapChannel.Pins"/>.</summary>
    public int Pins;
}
