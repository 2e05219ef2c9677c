using System.Net;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>One item of <c>Peers</c>: prefixes, and the parameters that differ for them.</summary>
internal sealed class PeerTransmissionSettings
{
    private static readonly ConfigurationSectionReader<PeerTransmissionSettings> s_table = new()
    {
        { "Prefixes", EndpointConfigurationKeys.Prefix },
        { EndpointConfigurationKeys.Parameters(""), static peers => peers._parameters },
    };

    private CoapTransmissionParameters _parameters = new();

    public IList<IPNetwork> Prefixes { get; } = [];

    public static void Read(IConfigurationSection item, PeerTransmissionParameters rules, ConfigurationErrors findings)
    {
        PeerTransmissionSettings peers = new();
        (ConfigurationKey<PeerTransmissionSettings> Key, string[] Values)[] present =
            [.. s_table.Read(item, peers, findings).Where(static read => !read.Key.IsList)];
        if (peers.Prefixes.Count == 0)
        {
            findings.Errors.Add(
                $"{ConfigurationTextFormatter.Of(item.Path)}:Prefixes is empty. Give at least one prefix such as 192.0.2.0/24.");
        }

        rules.Add([.. peers.Prefixes], parameters => Change(present, parameters));
    }

    // Parameters without a key in the item come from the general ones, which code may still set after configuration.
    private static CoapTransmissionParameters Change(
        (ConfigurationKey<PeerTransmissionSettings> Key, string[] Values)[] present, CoapTransmissionParameters parameters)
    {
        PeerTransmissionSettings peers = new() { _parameters = parameters with { } };
        foreach ((ConfigurationKey<PeerTransmissionSettings> key, string[] values) in present)
        {
            // The item was checked when it was read. An invalid value leaves the general one.
            _ = key.Set(peers, values);
        }

        return peers._parameters;
    }
}
