using CoAP.NET.Messages;

namespace CoAP.NET.Proxy.Admission;

/// <summary>
/// The CoAP URIs that clients asked for lately, read and judged. Of fixed size. What a URI says of an address is judged anew when the
/// targets change. Thread-safe.
/// </summary>
/// <param name="targets">Whom a proxy may ask.</param>
internal sealed class KnownTargets(CoapProxyTargets targets)
{
    private readonly RecentTexts<KnownTarget> _known = new();

    /// <summary>Knows a URI by its bytes in Proxy-Uri.</summary>
    /// <param name="named">The bytes as a client wrote them.</param>
    /// <returns>What was found; null when it has to be read.</returns>
    public KnownTarget? TryFind(ReadOnlySpan<byte> named) =>
        _known.TryFind(named, out KnownTarget? known) && known.Version == targets.Version ? known : null;

    /// <summary>Reads and judges a URI, or knows it.</summary>
    /// <param name="named">The URI as a client wrote it.</param>
    public KnownTarget Find(string named)
    {
        int version = targets.Version;
        if (!_known.TryFind(named, out KnownTarget? known) || known.Version != version)
        {
            known = Judge(named, version);
            _known.Note(named, known);
        }

        return known;
    }

    private KnownTarget Judge(string named, int version)
    {
        if (!CoapUri.TryParse(named, out CoapUri? uri, out string? error))
        {
            return Refuse(CoapCode.BadRequest, error);
        }

        if (uri.Port == 0)
        {
            return Refuse(CoapCode.BadRequest, "Nothing can be sent to port 0.");
        }

        if (uri.HostAddress is { } address && CoapProxyTargets.IsGroup(address))
        {
            return Refuse(CoapCode.NotImplemented, "This proxy sends nothing to groups.");
        }

        string normal = uri.ToString();
        return targets.MayAllow(uri.Host)
            ? new KnownTarget(named, normal, uri.Scheme, null, string.Empty, IsDenied: false, version)
            : new KnownTarget(named, normal, uri.Scheme, CoapCode.ProxyingNotSupported, CoapProxy.NotAsked, IsDenied: true, version);

        KnownTarget Refuse(CoapCode code, string reason) =>
            new(named, named, CoapProxy.SchemeOf(named), code, reason, IsDenied: false, version);
    }
}
