namespace CoAP.NET.Testing.Network;

/// <summary>The scope of a rule: from one address to another. Port 0 means the whole host, the default address all hosts.</summary>
internal readonly record struct NetworkLinkPattern(CoapAddress From, CoapAddress To)
{
    public bool Applies(CoapAddress from, CoapAddress to) => Covers(From, from) && Covers(To, to);

    public static bool Covers(CoapAddress rule, CoapAddress address) =>
        (rule.IsAny && rule.Port == 0)
        || (rule.High == address.High && rule.Low == address.Low && rule.ScopeId == address.ScopeId
            && (rule.Port == 0 || rule.Port == address.Port));

    /// <summary>Describes the scope of an address for messages.</summary>
    public static string Say(CoapAddress address) =>
        address.Port != 0 ? address.ToString() : address.IsAny ? "all hosts" : address.ToIPAddress().ToString();
}
