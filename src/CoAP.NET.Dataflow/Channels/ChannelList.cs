namespace CoAP.NET.Channels;

/// <summary>Channels from the one silent longest to the newest, linked through the channels themselves.</summary>
internal sealed class ChannelList
{
    private CoapChannel? _newest;

    public CoapChannel? Oldest { get; private set; }

    public int Count { get; private set; }

    public void AddNewest(CoapChannel channel)
    {
        channel.Older = _newest;
        channel.Newer = null;
        if (_newest is null)
        {
            Oldest = channel;
        }
        else
        {
            _newest.Newer = channel;
        }

        _newest = channel;
        Count++;
    }

    public void Remove(CoapChannel channel)
    {
        if (channel.Older is null)
        {
            Oldest = channel.Newer;
        }
        else
        {
            channel.Older.Newer = channel.Newer;
        }

        if (channel.Newer is null)
        {
            _newest = channel.Older;
        }
        else
        {
            channel.Newer.Older = channel.Older;
        }

        channel.Older = channel.Newer = null;
        Count--;
    }
}
