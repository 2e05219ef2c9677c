namespace CoAP.NET.Testing.Network;

/// <summary>Matches datagrams from one address to another. Port 0 matches all ports of a host, the default address all hosts.</summary>
internal readonly record struct NetworkLinkMatcher(CoapAddress From, CoapAddress To)
{
    public bool Matches(CoapAddress from, CoapAddress to) => MatchesAddress(From, from) && MatchesAddress(To, to);

    public static bool MatchesAddress(CoapAddress rule, CoapAddress address) =>
        (rule.IsAny && rule.Port == 0)
        || (rule.High == address.High && rule.Low == address.Low && rule.ScopeId == address.ScopeId
            && (rule.Port == 0 || rule.Port == address.Port));

    /// <summary>Describes the hosts that an address matches, for messages.</summary>
    public static string Describe(CoapAddress address) =>
        address.Port != 0 ? address.ToString() : address.IsAny ? "all hosts" : address.ToIPAddress().ToString();
}
