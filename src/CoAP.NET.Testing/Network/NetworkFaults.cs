namespace CoAP.NET.Testing.Network;

/// <summary>The faults that a test sets on a network. Guarded by the network's lock.</summary>
/// <param name="conditions">The conditions of all links without conditions of their own.</param>
internal sealed class NetworkFaults(NetworkConditions conditions)
{
    private readonly List<(NetworkLinkMatcher Link, NetworkConditions Conditions)> _links = [];
    private readonly List<NetworkLinkMatcher> _partitions = [];
    private readonly List<DropRule> _drops = [];
    private readonly List<CoapAddress> _down = [];

    /// <summary>The conditions of all links without conditions of their own.</summary>
    public NetworkConditions Conditions { get; set; } = conditions;

    public void SetConditions(NetworkLinkMatcher link, NetworkConditions conditions)
    {
        _links.RemoveAll(entry => entry.Link == link);
        _links.Add((link, conditions));
    }

    public void ClearConditions() => _links.Clear();

    public void Cut(NetworkLinkMatcher link) => _partitions.Add(link);

    public void Heal() => _partitions.Clear();

    public void Drop(DropRule rule) => _drops.Add(rule);

    public void TakeDown(CoapAddress host) => _down.Add(host);

    public void BringUp(CoapAddress host) => _down.Remove(host);

    public NetworkConditions ConditionsOf(CoapAddress from, CoapAddress to)
    {
        for (int i = _links.Count - 1; i >= 0; i--)
        {
            if (_links[i].Link.Matches(from, to))
            {
                return _links[i].Conditions;
            }
        }

        return Conditions;
    }

    public bool IsPartitioned(CoapAddress from, CoapAddress to) => _partitions.Exists(link => link.Matches(from, to));

    public bool IsDown(CoapAddress address) => _down.Exists(host => NetworkLinkMatcher.MatchesAddress(host, address));

    public bool IsDropped(CoapAddress from, CoapAddress to)
    {
        bool dropped = false;
        foreach (DropRule rule in _drops)
        {
            if (rule.Link.Matches(from, to))
            {
                dropped |= rule.Drops();
            }
        }

        _drops.RemoveAll(static rule => rule.IsSpent);
        return dropped;
    }
}
