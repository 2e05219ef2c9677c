using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>Reads the links of a host to its directories (RFC 9176 section 4.3).</summary>
internal static class DirectoryDiscovery
{
    /// <summary>The filter for all links of a directory.</summary>
    public const string Filter = "rt=core.rd*";

    public const string Registration = "core.rd";
    public const string ResourceLookup = "core.rd-lookup-res";
    public const string EndpointLookup = "core.rd-lookup-ep";

    /// <summary>
    /// Returns the first URI of a type with a CoAP scheme, on any host; if there are several, those with link format first.
    /// </summary>
    /// <returns>The URI; null if there is none.</returns>
    public static CoapUri? Find(IReadOnlyList<CoapLink> links, string type, CoapUri origin)
    {
        CoapUri? other = null;
        foreach (CoapLink link in links)
        {
            if (!link.ResourceTypes.Contains(type) || !origin.TryResolve(link.Target, out CoapUri? uri, out string? _) || uri.Port == 0
                || IsGroup(uri))
            {
                continue;
            }

            if (!link.Has("ct") || link.ContentFormats.Contains(CoapContentFormat.LinkFormat))
            {
                return uri;
            }

            other ??= uri;
        }

        return other;
    }

    public static bool IsGroup(CoapUri uri) => uri.Literal is { IsMulticast: true };
}
