namespace CoAP.NET.Peers;

/// <summary>
/// The fields of the table of peers in each channel. They change with the order of peers, not with each request. Guarded by Shard.Gate.
/// </summary>
internal struct ChannelTableEntry
{
    public ListLinks<CoapChannel> Neighbours;

    public ulong AddressHash;

    public long FirstSeen;

    public int Pins;
}
