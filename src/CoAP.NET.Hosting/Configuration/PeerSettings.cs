using System.Net;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>One item of <c>Peers</c>: prefixes, and the parameters that differ for them.</summary>
internal sealed class PeerSettings
{
    private static readonly KeyTable<PeerSettings> s_table = new KeyTable<PeerSettings>()
        .List("Prefixes", EndpointKeys.Prefix, static peers => peers._prefixes)
        .Include(ParameterKeys.Make(""), static peers => peers._options);

    private readonly List<IPNetwork> _prefixes = [];
    private readonly CoapEndpointOptions _options = new();

    /// <summary>Reads an item into rules.</summary>
    public static void Read(IConfigurationSection item, PeerRules rules, ConfigurationFindings findings)
    {
        PeerSettings peers = new();
        SectionReader.Read(item, s_table, peers, findings);
        if (peers._prefixes.Count == 0)
        {
            findings.Errors.Add($"{item.Path}:Prefixes is empty. Give at least one prefix such as 192.0.2.0/24.");
        }

        foreach (IPNetwork prefix in peers._prefixes)
        {
            rules.Add(prefix, parameters => Change(item, parameters));
        }
    }

    // Parameters without a key in the item come from the general ones, which code may still set after configuration.
    private static CoapTransmissionParameters Change(IConfigurationSection item, CoapTransmissionParameters parameters)
    {
        PeerSettings peers = new();
        peers._options.Parameters = parameters;
        SectionReader.Read(item, s_table, peers, new ConfigurationFindings());
        return peers._options.Parameters;
    }
}
