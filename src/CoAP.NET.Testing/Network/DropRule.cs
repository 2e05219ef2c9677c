namespace CoAP.NET.Testing.Network;

/// <summary>Passes some datagrams, then drops some.</summary>
internal sealed class DropRule(NetworkLinkPattern where, int pass, int drop)
{
    private int _pass = pass;
    private int _drop = drop;

    public NetworkLinkPattern Where { get; } = where;

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
