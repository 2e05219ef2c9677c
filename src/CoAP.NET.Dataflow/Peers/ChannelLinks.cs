namespace CoAP.NET.Peers;

/// <summary>What the table of peers keeps in each channel: touched when the order of peers changes, not by each request. Guarded by Shard.Gate.</summary>
internal struct ChannelLinks
{
    public CoapChannel? Older;
    public CoapChannel? Newer;

    /// <summary>See <see cref="CoapChannel.AddressHash"/>.</summary>
    public ulong AddressHash;

    /// <summary>See <see cref="CoapChannel.FirstSeen"/>.</summary>
    public long FirstSeen;

    /// <summary>See <see cref="CoapChannel.Pins"/>.</summary>
    public int Pins;
}
