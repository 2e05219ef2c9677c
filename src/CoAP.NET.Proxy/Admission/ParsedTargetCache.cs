using CoAP.NET.Uris;

namespace CoAP.NET.Proxy.Admission;

/// <summary>
/// A cache of fixed size with the recently requested CoAP URIs, parsed and checked. An address is checked again when the targets change.
/// Thread-safe.
/// </summary>
internal sealed class ParsedTargetCache(CoapProxyTargets targets)
{
    private readonly RecentTextCache<ParsedTarget> _known = new();

    /// <summary>Finds a URI by its bytes in Proxy-Uri.</summary>
    /// <param name="named">The bytes from the client.</param>
    /// <returns>The cached target; null if the URI has to be parsed.</returns>
    public ParsedTarget? TryFind(ReadOnlySpan<byte> named) =>
        _known.TryFind(named, out ParsedTarget? known) && known.Version == targets.Version ? known : null;

    /// <summary>Parses and checks a URI, or returns the cached target.</summary>
    public ParsedTarget Find(string named)
    {
        int version = targets.Version;
        if (!_known.TryFind(named, out ParsedTarget? known) || known.Version != version)
        {
            known = Judge(named, version);
            _known.Note(named, known);
        }

        return known;
    }

    private ParsedTarget Judge(string named, int version)
    {
        if (!CoapUri.TryParse(named, out CoapUri? uri, out string? error))
        {
            return Refuse(CoapCode.BadRequest, error);
        }

        if (uri.Port == 0)
        {
            return Refuse(CoapCode.BadRequest, "Port 0 is not a valid destination port.");
        }

        if (uri.HostAddress is { } address && CoapProxyTargets.IsGroup(address))
        {
            return Refuse(CoapCode.NotImplemented, "This proxy does not send to groups.");
        }

        string normal = uri.ToString();
        return targets.MayAllow(uri)
            ? new ParsedTarget(named, normal, uri.Scheme, null, string.Empty, IsDenied: false, version)
            : new ParsedTarget(
                named, normal, uri.Scheme, CoapCode.ProxyingNotSupported, CoapProxy.TargetDeniedText, IsDenied: true, version);

        ParsedTarget Refuse(CoapCode code, string reason) =>
            new(named, named, CoapProxy.SchemeOf(named), code, reason, IsDenied: false, version);
    }
}
