namespace CoAP.NET.Testing;

/// <summary>Lets some datagrams pass, then loses some.</summary>
internal sealed class DropRule(NetworkRule where, int pass, int drop)
{
    private int _pass = pass;
    private int _drop = drop;

    public NetworkRule Where { get; } = where;

    public bool IsSpent => _drop == 0;

    /// <summary>Counts a datagram the rule applies to.</summary>
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
