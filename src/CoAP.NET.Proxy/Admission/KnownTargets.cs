namespace CoAP.NET.Proxy.Admission;

/// <summary>
/// The CoAP URIs that clients asked for lately, read and judged: most ask for the same few again and again. Of fixed size; two that fall
/// into the same place replace one another. What a URI says of an address is judged anew when the targets change. Thread-safe.
/// </summary>
/// <param name="targets">Whom a proxy may ask.</param>
internal sealed class KnownTargets(CoapProxyTargets targets)
{
    private const int Places = 512;

    // Longer ones are rare, and would be kept alive for nothing.
    private const int MaxLength = 256;

    private readonly KnownTarget?[] _places = new KnownTarget?[Places];

    /// <summary>Reads and judges a URI, or knows it.</summary>
    /// <param name="named">The URI as a client wrote it.</param>
    public KnownTarget Find(string named)
    {
        ref KnownTarget? place = ref _places[(uint)named.GetHashCode(StringComparison.Ordinal) % Places];
        int version = targets.Version;
        if (Volatile.Read(ref place) is { } known && known.Version == version && known.Named == named)
        {
            return known;
        }

        known = Judge(named, version);
        if (named.Length <= MaxLength)
        {
            Volatile.Write(ref place, known);
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
            ? new KnownTarget(named, normal, null, string.Empty, IsDenied: false, version)
            : new KnownTarget(named, normal, CoapCode.ProxyingNotSupported, CoapProxy.NotAsked, IsDenied: true, version);

        KnownTarget Refuse(CoapCode code, string reason) => new(named, named, code, reason, IsDenied: false, version);
    }
}
