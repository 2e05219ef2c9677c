using System.Net;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>The transmission parameters of peers by their addresses.</summary>
internal sealed class PeerTransmissionParameters
{
    private readonly List<(IReadOnlyList<IPNetwork> Prefixes, Func<CoapTransmissionParameters, CoapTransmissionParameters> Change)>
        _rules = [];

    /// <summary>Adds a rule for a network that the developer names.</summary>
    /// <param name="prefix">The network.</param>
    /// <param name="change">Makes its parameters from those that all peers have.</param>
    /// <exception cref="ArgumentException">The text is not a network.</exception>
    public void Add(string prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> change)
    {
        if (!IPNetwork.TryParse(prefix, out IPNetwork network))
        {
            throw new ArgumentException(
                $"'{prefix}' is not a network. Write its first address and the length of its prefix, such as 10.1.0.0/16.", nameof(prefix));
        }

        Add([network], change);
    }

    /// <summary>Adds a rule.</summary>
    /// <param name="prefixes">The addresses that it is for.</param>
    /// <param name="change">Makes their parameters from those that all peers have. It runs once for all prefixes.</param>
    public void Add(IReadOnlyList<IPNetwork> prefixes, Func<CoapTransmissionParameters, CoapTransmissionParameters> change) =>
        _rules.Add((prefixes, change));

    /// <summary>Adds the rules to an endpoint. A function that it already has takes precedence.</summary>
    public void ApplyTo(CoapEndpointOptions options)
    {
        if (_rules.Count == 0)
        {
            return;
        }

        // The longest prefix takes precedence; of two equal ones the one added last.
        (IPNetwork Prefix, CoapTransmissionParameters Parameters)[] rules =
            [.. Enumerable.Reverse(_rules).SelectMany(rule =>
                {
                    CoapTransmissionParameters changed = rule.Change(options.Parameters);
                    return Enumerable.Reverse(rule.Prefixes).Select(prefix => (prefix, changed));
                })
                .OrderByDescending(static rule => rule.prefix.PrefixLength)];
        Func<IPEndPoint, CoapTransmissionParameters?>? before = options.ParametersOf;
        options.ParametersOf = remote => before?.Invoke(remote) ?? Find(rules, remote.Address);
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
