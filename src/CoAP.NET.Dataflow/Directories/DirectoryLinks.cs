namespace CoAP.NET.Directories;

/// <summary>Reads what a host says of its directories (RFC 9176 section 4.3).</summary>
internal static class DirectoryLinks
{
    /// <summary>The filter that asks for all that a directory offers.</summary>
    public const string Filter = "rt=core.rd*";

    public const string Registration = "core.rd";
    public const string ResourceLookup = "core.rd-lookup-res";
    public const string EndpointLookup = "core.rd-lookup-ep";

    /// <summary>The first place of a type that can be reached by CoAP, of any scheme and host; of several those with link format
    /// first.</summary>
    /// <param name="links">The links.</param>
    /// <param name="type">The resource type.</param>
    /// <param name="origin">What they are relative to.</param>
    /// <returns>The place; null when there is none.</returns>
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

    /// <summary>Whether a URI has the address of a group.</summary>
    /// <param name="uri">The URI.</param>
    public static bool IsGroup(CoapUri uri) => uri.Literal is { IsMulticast: true };
}
