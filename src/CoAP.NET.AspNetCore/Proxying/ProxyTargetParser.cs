using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Uris;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// Parses the targets in the URIs of HTTP clients (RFC 8075 section 5), with a cache of recent ones. Each request checks again whether they
/// are allowed. Thread-safe.
/// </summary>
/// <param name="options">The template, and the scheme of targets without one.</param>
internal sealed class ProxyTargetParser(CoapHttpProxyOptions options)
{
    private readonly RecentTextCache<ParsedProxyTarget> _known = new();

    /// <summary>Finds the target of a URI.</summary>
    /// <param name="rest">The original text after the prefix of the proxy.</param>
    /// <param name="target">The target.</param>
    /// <param name="error">The reason why the text is not a CoAP URI; null if there is no text that could be one.</param>
    /// <returns>Whether there is a target.</returns>
    public bool TryFind(string rest, [NotNullWhen(true)] out CoapUri? target, out string? error)
    {
        UriMappingTemplate template = options.Parsed;
        string? scheme = options.DefaultScheme;
        error = null;
        if (_known.TryFind(rest, out ParsedProxyTarget? known) && known.Template == template && known.DefaultScheme == scheme)
        {
            target = known.Target;
            return true;
        }

        target = null;
        if (!template.TryMatch(rest, scheme, out string? text) || !CoapUri.TryParse(text, out target, out error))
        {
            return false;
        }

        if (target.ZoneId is null)
        {
            // The interface of a zone may change.
            _known.Note(rest, new ParsedProxyTarget(target, template, scheme));
        }

        return true;
    }

    // The target and the settings that led to it.
    private sealed record ParsedProxyTarget(CoapUri Target, UriMappingTemplate Template, string? DefaultScheme);
}
