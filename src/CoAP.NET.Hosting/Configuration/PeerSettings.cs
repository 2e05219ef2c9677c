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
        (ConfigurationKey<PeerSettings> Key, string[] Values)[] present =
            [.. SectionReader.Read(item, s_table, peers, findings).Where(static read => !read.Key.IsList)];
        if (peers._prefixes.Count == 0)
        {
            findings.Errors.Add($"{ShownText.Of(item.Path)}:Prefixes is empty. Give at least one prefix such as 192.0.2.0/24.");
        }

        rules.Add(peers._prefixes, parameters => Change(present, parameters));
    }

    // Parameters without a key in the item come from the general ones, which code may still set after configuration.
    private static CoapTransmissionParameters Change(
        (ConfigurationKey<PeerSettings> Key, string[] Values)[] present, CoapTransmissionParameters parameters)
    {
        PeerSettings peers = new();
        peers._options.Parameters = parameters;
        foreach ((ConfigurationKey<PeerSettings> key, string[] values) in present)
        {
            // The item was checked when it was read. An invalid value leaves the general one.
            _ = key.Set(peers, values);
        }

        return peers._options.Parameters;
    }
}
