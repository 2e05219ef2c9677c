namespace CoAP.NET.Testing.Network;

/// <summary>The faults that a test sets on a network. Guarded by the network's lock.</summary>
/// <param name="conditions">The conditions of all links without conditions of their own.</param>
internal sealed class NetworkFaults(NetworkConditions conditions)
{
    private readonly List<(NetworkLinkPattern Where, NetworkConditions Conditions)> _links = [];
    private readonly List<NetworkLinkPattern> _partitions = [];
    private readonly List<DropRule> _drops = [];
    private readonly List<CoapAddress> _down = [];

    /// <summary>The conditions of all links without conditions of their own.</summary>
    public NetworkConditions Conditions { get; set; } = conditions;

    public void SetConditions(NetworkLinkPattern where, NetworkConditions conditions)
    {
        _links.RemoveAll(link => link.Where == where);
        _links.Add((where, conditions));
    }

    public void ClearConditions() => _links.Clear();

    public void Cut(NetworkLinkPattern where) => _partitions.Add(where);

    public void Heal() => _partitions.Clear();

    public void Drop(DropRule rule) => _drops.Add(rule);

    public void TakeDown(CoapAddress host) => _down.Add(host);

    public void BringUp(CoapAddress host) => _down.Remove(host);

    public NetworkConditions ConditionsOf(CoapAddress from, CoapAddress to)
    {
        for (int i = _links.Count - 1; i >= 0; i--)
        {
            if (_links[i].Where.Applies(from, to))
            {
                return _links[i].Conditions;
            }
        }

        return Conditions;
    }

    public bool IsPartitioned(CoapAddress from, CoapAddress to) => _partitions.Exists(rule => rule.Applies(from, to));

    public bool IsDown(CoapAddress address) => _down.Exists(host => NetworkLinkPattern.Covers(host, address));

    public bool IsDropped(CoapAddress from, CoapAddress to)
    {
        bool dropped = false;
        foreach (DropRule rule in _drops)
        {
            if (rule.Where.Applies(from, to))
            {
                dropped |= rule.Drops();
            }
        }

        _drops.RemoveAll(static rule => rule.IsSpent);
        return dropped;
    }
}
