using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Hosting;

/// <summary>The transmission parameters of peers by their addresses.</summary>
internal sealed class PeerRules
{
    private readonly List<(IPNetwork Prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> Change)> _rules = [];

    public void Add(IPNetwork prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> change) => _rules.Add((prefix, change));

    /// <summary>Adds the rules to an endpoint. A function that it already has takes precedence.</summary>
    public void ApplyTo(CoapEndpointOptions options)
    {
        if (_rules.Count == 0)
        {
            return;
        }

        // The longest prefix takes precedence; of two equal ones the one added last.
        (IPNetwork Prefix, CoapTransmissionParameters Parameters)[] rules =
            [.. Enumerable.Reverse(_rules).Select(rule => (rule.Prefix, rule.Change(options.Parameters)))
                .OrderByDescending(static rule => rule.Prefix.PrefixLength)];
        Func<CoapAddress, CoapTransmissionParameters?>? before = options.ParametersOf;
        options.ParametersOf = remote => before?.Invoke(remote) ?? Find(rules, remote.ToIPAddress());
    }

    private static CoapTransmissionParameters? Find((IPNetwork Prefix, CoapTransmissionParameters Parameters)[] rules, IPAddress address)
    {
        foreach ((IPNetwork prefix, CoapTransmissionParameters parameters) in rules)
        {
            if (prefix.Contains(address))
            {
                return parameters;
            }
        }

        return null;
    }
}
