namespace CoAP.NET.Peers;

/// <summary>Channels from the one silent longest to the newest, linked through the channels themselves.</summary>
internal sealed class ChannelList
{
    private CoapChannel? _newest;

    public CoapChannel? Oldest { get; private set; }

    public int Count { get; private set; }

    public void AddNewest(CoapChannel channel)
    {
        channel.Links.Older = _newest;
        channel.Links.Newer = null;
        if (_newest is null)
        {
            Oldest = channel;
        }
        else
        {
            _newest.Links.Newer = channel;
        }

        _newest = channel;
        Count++;
    }

    public void Remove(CoapChannel channel)
    {
        if (channel.Links.Older is null)
        {
            Oldest = channel.Links.Newer;
        }
        else
        {
            channel.Links.Older.Links.Newer = channel.Links.Newer;
        }

        if (channel.Links.Newer is null)
        {
            _newest = channel.Links.Older;
        }
        else
        {
            channel.Links.Newer.Links.Older = channel.Links.Older;
        }

        channel.Links.Older = channel.Links.Newer = null;
        Count--;
    }
}
