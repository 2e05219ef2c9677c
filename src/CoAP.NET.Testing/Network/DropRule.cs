namespace CoAP.NET.Testing.Network;

/// <summary>Drops a number of datagrams on a link, after a number that it delivers.</summary>
internal sealed class DropRule(NetworkLinkMatcher link, int pass, int drop)
{
    private int _pass = pass;
    private int _drop = drop;

    public NetworkLinkMatcher Link { get; } = link;

    public bool IsSpent => _drop == 0;

    /// <summary>Counts a matching datagram; returns true to drop it.</summary>
    public bool Drops()
    {
        if (_pass > 0)
        {
            _pass--;
            return false;
        }

        _drop--;
        return true;
    }
}
