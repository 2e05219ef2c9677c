namespace CoAP.NET.Channels;

/// <summary>A list of channels, from the longest silent one to the newest.</summary>
internal sealed class LruChannelList
{
    private IntrusiveList<CoapChannel, LinkAccessor> _chain;

    /// <summary>The longest silent channel; null when empty.</summary>
    public CoapChannel? Oldest => _chain.First;

    public int Count => _chain.Count;

    public void AddNewest(CoapChannel channel) => _chain.Append(channel);

    public void Remove(CoapChannel channel) => _chain.Remove(channel);

    private readonly struct LinkAccessor : IListLinksAccessor<CoapChannel>
    {
        public static ref ListLinks<CoapChannel> Of(CoapChannel item) => ref item.Links.Neighbours;
    }
}
