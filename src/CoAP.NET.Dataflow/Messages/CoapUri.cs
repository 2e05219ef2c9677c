using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Text;
using CoAP.NET.Messages;
using CoAP.NET.Options;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// An absolute CoAP URI (RFC 7252 section 6, RFC 8323 section 8). Immutable; kept in its normal form: scheme and host in lower case, dot
/// segments resolved, no default port, escapes only where they are needed. Equal when the normal forms are equal.
/// </summary>
/// <remarks>
/// <see cref="Uri"/> is no substitute: it drops an empty query, decodes and resolves by rules of its own, and does not know the default
/// ports. The name is decoded once, so that <c>%2F</c> in a segment is a slash that separates nothing.
/// </remarks>
public sealed class CoapUri : IEquatable<CoapUri>
{
    private readonly string[] _path;
    private readonly string[] _query;
    private string? _text;
    private CoapOptionCollection? _resourceOptions;
    private IPAddress[]? _addresses;

    private CoapUri(in UriParts parts)
    {
        Scheme = parts.Scheme;
        Host = parts.Host.Text;
        HostAddress = parts.Host.Address;
        ZoneId = parts.Host.ZoneId;
        Port = parts.Port;
        Literal = HostAddress is { } address ? CoapAddress.Of(address, (ushort)Port) : null;
        _path = parts.Path;
        _query = parts.Query;
    }

    /// <summary>The scheme in lower case: <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c>, <c>coaps+tcp</c>, <c>coap+ws</c> or
    /// <c>coaps+ws</c>.</summary>
    public string Scheme { get; }

    /// <summary>
    /// The host as it goes into Uri-Host: a name turned to lower case and then percent-decoded, an IPv4 address, or an IPv6 address in
    /// brackets, in its shortest form and without its zone.
    /// </summary>
    public string Host { get; }

    /// <summary>The host where it is an IP address; null for a name. Has the scope of the zone if this machine knows it.</summary>
    public IPAddress? HostAddress { get; }

    /// <summary>The zone of an IPv6 address, such as <c>eth0</c> in <c>coap://[fe80::1%25eth0]/</c> (RFC 6874); otherwise null. Never
    /// sent.</summary>
    public string? ZoneId { get; }

    /// <summary>The port: as written, or the default of the scheme. 0 to 65,535.</summary>
    public int Port { get; }

    /// <summary>Whether the port is the default of the scheme: 5683 (coap, coap+tcp), 5684 (coaps, coaps+tcp), 80 (coap+ws) or 443
    /// (coaps+ws).</summary>
    public bool IsDefaultPort => UriSchemes.TryGetDefaultPort(Scheme, out int port) && port == Port;

    /// <summary>The segments of the path, decoded: one Uri-Path option each. None for <c>/</c>; a trailing slash is an empty last
    /// one.</summary>
    public IReadOnlyList<string> PathSegments => _path;

    /// <summary>The arguments of the query, decoded: one Uri-Query option each. None without <c>?</c>; an empty query is one empty
    /// argument.</summary>
    public IReadOnlyList<string> QueryArguments => _query;

    /// <summary>Host, zone and port as they stand in the normal form: <c>example.net</c>, <c>[2001:db8::1]:61616</c>.</summary>
    public string Authority => AppendAuthority(new StringBuilder()).ToString();

    /// <summary>Address and port where the host is an IP address; null for a name.</summary>
    internal CoapAddress? Literal { get; }

    /// <summary>The host where it is an IP address, as a list of one; null for a name. Not to be changed.</summary>
    internal IPAddress[]? Addresses => HostAddress is null ? null : _addresses ??= [HostAddress];

    /// <summary>What <see cref="AddTo"/> adds where the request goes to the address and port in this URI. For messages that share it; not
    /// to be changed.</summary>
    internal CoapOptionCollection ResourceOptions
    {
        get
        {
            if (Volatile.Read(ref _resourceOptions) is { } known)
            {
                return known;
            }

            CoapOptionCollection options = new();
            AddTo(options);
            Volatile.Write(ref _resourceOptions, options);
            return options;
        }
    }

    private UriParts Parts => new(Scheme, new UriHostName(Host, HostAddress, ZoneId), Port, _path, _query);

    /// <summary>Whether two URIs have the same normal form.</summary>
    /// <param name="left">The left URI.</param>
    /// <param name="right">The right URI.</param>
    public static bool operator ==(CoapUri? left, CoapUri? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether two URIs have different normal forms.</summary>
    /// <param name="left">The left URI.</param>
    /// <param name="right">The right URI.</param>
    public static bool operator !=(CoapUri? left, CoapUri? right) => !(left == right);

    /// <summary>
    /// Reads an absolute CoAP URI, or an IRI as people type it, such as <c>coap://bücher.example/grüner tee</c>: it is mapped to its URI
    /// (RFC 3987 section 3.1). What is not ASCII is the UTF-8 of its options,
    /// <c>%</c> with two hexadecimal digits stays an escape, and a host name gets its <c>xn--</c> form.
    /// </summary>
    /// <param name="text">The text, such as <c>coap://[2001:db8::1]/sensors/temperature?unit=C</c>.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The text is no absolute CoAP URI, or has a fragment, or a part is too long for its
    /// option.</exception>
    public static CoapUri Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return UriReader.TryParse(text, out UriParts parts, out UriFault fault)
            ? new CoapUri(parts)
            : throw new CoapUriException(fault.Describe(text), fault.Position);
    }

    /// <summary>Reads an absolute CoAP URI or IRI; see <see cref="Parse"/>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="uri">The URI.</param>
    /// <returns>Whether the text is an absolute CoAP URI.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out CoapUri? uri) =>
        TryParse(text, out uri, out string? _);

    /// <summary>Reads an absolute CoAP URI or IRI; see <see cref="Parse"/>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="error">What is wrong and what to do.</param>
    /// <returns>Whether the text is an absolute CoAP URI.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out CoapUri? uri,
        [NotNullWhen(false)] out string? error)
    {
        bool isParsed = UriReader.TryParse(text ?? string.Empty, out UriParts parts, out UriFault fault);
        uri = isParsed ? new CoapUri(parts) : null;
        error = isParsed ? null : fault.Describe(text ?? string.Empty);
        return isParsed;
    }

    /// <summary>
    /// Scheme and authority of a URI as they are written in it, such as <c>coap://example.net:61616</c>. The URI need not be sound.
    /// </summary>
    /// <param name="uri">The URI; of a reference without a scheme it is everything up to the path.</param>
    /// <returns>What stands before path, query and fragment.</returns>
    public static string OriginOf(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        int authority = uri.IndexOf("://", StringComparison.Ordinal);
        int start = authority < 0 ? 0 : authority + 3;
        int length = uri.AsSpan(start).IndexOfAny('/', '?', '#');
        return length < 0 ? uri : uri[..(start + length)];
    }

    /// <summary>The URI that the options of a request name (RFC 7252 section 6.5). Proxy-Uri and Proxy-Scheme are not looked at.</summary>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">Address and port that the request was sent to; they count where Uri-Host and Uri-Port are absent.</param>
    /// <returns>The URI. A single empty Uri-Path gives the same as none.</returns>
    /// <exception cref="CoapUriException">Uri-Host is no host, a segment is <c>.</c> or <c>..</c>, or the scheme is none of
    /// CoAP.</exception>
    public static CoapUri Compose(string scheme, CoapOptionCollection options, IPEndPoint destination) =>
        Compose(scheme, options, destination, defaultHost: null);

    /// <summary>The URI that the options of a request name (RFC 7252 section 6.5). Proxy-Uri and Proxy-Scheme are not looked at.</summary>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">Address and port that the request was sent to; they count where Uri-Host and Uri-Port are absent.</param>
    /// <param name="uri">The URI. A single empty Uri-Path gives the same as none.</param>
    /// <param name="error">What is wrong.</param>
    /// <returns>Whether the options name a URI.</returns>
    public static bool TryCompose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, [NotNullWhen(true)] out CoapUri? uri,
        [NotNullWhen(false)] out string? error)
    {
        uri = TryCompose(scheme, options, destination, null, out UriFault fault);
        error = uri is null ? UriComposer.Describe(fault) : null;
        return uri is not null;
    }

    /// <summary>
    /// The URI that a request is for, with what it asks of a proxy: Proxy-Uri as it stands, or the composed URI with Proxy-Scheme in the
    /// place of its scheme (RFC 7252 sections 5.10.2 and 6.5). Hence text: it may be of any scheme.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="destination">Address and port that the request was sent to.</param>
    /// <returns>The URI. A port that nobody named, and that is the default of <paramref name="scheme"/>, becomes that of the scheme that
    /// replaces it.</returns>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public static string ComposeRequestUri(CoapMessage request, string scheme, IPEndPoint destination)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Options.ProxyUri is { } proxyUri)
        {
            return proxyUri;
        }

        CoapUri uri = Compose(scheme, request.Options, destination);
        string text = uri.ToString();
        if (request.Options.ProxyScheme is not { } proxyScheme)
        {
            return text;
        }

        // The port that is the default of the one scheme may be another one than that of the other.
        int end = uri.Scheme.Length + "://".Length + uri.Authority.Length;
        string port = request.Options.UriPort is { } named && uri.IsDefaultPort
            && !(UriSchemes.TryGetDefaultPort(UriText.ToLowerAscii(proxyScheme), out int known) && known == named)
            ? string.Create(CultureInfo.InvariantCulture, $":{named}") : string.Empty;
        return string.Concat(proxyScheme, text.AsSpan(uri.Scheme.Length, end - uri.Scheme.Length), port, text.AsSpan(end));
    }

    /// <summary>The same, with the host that counts where Uri-Host is absent (RFC 8323 section 8.5); null for the address.</summary>
    internal static CoapUri Compose(string scheme, CoapOptionCollection options, IPEndPoint destination, string? defaultHost) =>
        TryCompose(scheme, options, destination, defaultHost, out UriFault fault)
            ?? throw new CoapUriException(UriComposer.Describe(fault), fault.Position);

    /// <summary>The URI that a request is for, with what it asks of a proxy (RFC 7252 sections 5.10.2 and 6.5).</summary>
    /// <param name="request">The request.</param>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="destination">Address and port that the request was sent to.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public static string ComposeRequestUri(CoapMessage request, string scheme, CoapAddress destination)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Options.ProxyUri ?? ComposeRequestUri(request, scheme, destination.ToIPEndPoint());
    }

    /// <summary>Resolves a reference against this URI, as a Location or the target of a link (RFC 3986 section 5.2).</summary>
    /// <param name="reference">An absolute CoAP URI, or a reference without scheme, host or path, such as <c>../a?b=1</c>.</param>
    /// <returns>The URI that is meant.</returns>
    /// <exception cref="CoapUriException">The reference is none, leads to another scheme than CoAP's, or has a fragment.</exception>
    public CoapUri Resolve(string reference)
    {
        ArgumentNullException.ThrowIfNull(reference);
        return UriReader.TryResolve(Parts, reference, out UriParts parts, out UriFault fault)
            ? new CoapUri(parts)
            : throw new CoapUriException(fault.Describe(reference), fault.Position);
    }

    /// <summary>Resolves a reference against this URI, as a Location or the target of a link (RFC 3986 section 5.2).</summary>
    /// <param name="reference">An absolute CoAP URI, or a reference without scheme, host or path.</param>
    /// <param name="uri">The URI that is meant.</param>
    /// <param name="error">What is wrong and what to do.</param>
    /// <returns>Whether the reference leads to a CoAP URI.</returns>
    public bool TryResolve([NotNullWhen(true)] string? reference, [NotNullWhen(true)] out CoapUri? uri,
        [NotNullWhen(false)] out string? error)
    {
        UriFault fault = new(0, "There is no reference.");
        UriParts parts = default;
        bool isResolved = reference is not null && UriReader.TryResolve(Parts, reference, out parts, out fault);
        uri = isResolved ? new CoapUri(parts) : null;
        error = isResolved ? null : fault.Describe(reference ?? string.Empty);
        return isResolved;
    }

    /// <summary>
    /// Adds the options that name the resource of this URI: Uri-Host unless the request goes to that very IP address, Uri-Port unless it
    /// goes to that very port, Uri-Path and Uri-Query (RFC 7252 section 6.4). The zone of an IPv6 address is never sent.
    /// </summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">The IP address that the request is sent to; null when it is the address in this URI, or the one that its
    /// name stands for.</param>
    /// <param name="destinationPort">The port that the request is sent to, 0 to 65,535; null when it is the port of this URI.</param>
    public void AddTo(CoapOptionCollection options, IPAddress? destination = null, int? destinationPort = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (HostAddress is null || (destination is not null && !IsSameAddress(HostAddress, destination)))
        {
            options.AddString(OptionNumber.UriHost, Host);
        }

        if (destinationPort is { } port && port != Port)
        {
            options.AddUInt(OptionNumber.UriPort, (uint)Port);
        }

        foreach (string segment in _path)
        {
            options.AddString(OptionNumber.UriPath, segment);
        }

        foreach (string argument in _query)
        {
            options.AddString(OptionNumber.UriQuery, argument);
        }
    }

    /// <inheritdoc/>
    public bool Equals(CoapUri? other) => other is not null && (ReferenceEquals(this, other) || ToString() == other.ToString());

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CoapUri);

    /// <inheritdoc/>
    public override int GetHashCode() => ToString().GetHashCode(StringComparison.Ordinal);

    /// <summary>The normal form; parsing it gives an equal URI.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        if (_text is null)
        {
            StringBuilder text = new(64);
            AppendAuthority(text.Append(Scheme).Append("://"));
            UriText.AppendPathAndQuery(text, _path, _query);
            _text = text.ToString();
        }

        return _text;
    }

    private static CoapUri? TryCompose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, string? defaultHost, out UriFault fault)
    {
        ArgumentNullException.ThrowIfNull(scheme);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(destination);
        return UriComposer.TryCompose(scheme, options, destination, defaultHost, out UriParts parts, out fault) ? new CoapUri(parts) : null;
    }

    // The scope says by which interface, not who; a dual-mode socket shows IPv4 addresses as mapped ones.
    private static bool IsSameAddress(IPAddress left, IPAddress right)
    {
        Span<byte> leftBytes = stackalloc byte[16];
        Span<byte> rightBytes = stackalloc byte[16];
        return WriteMapped(left, leftBytes).SequenceEqual(WriteMapped(right, rightBytes));
    }

    private static ReadOnlySpan<byte> WriteMapped(IPAddress address, Span<byte> bytes)
    {
        address.MapToIPv6().TryWriteBytes(bytes, out int _);
        return bytes;
    }

    private StringBuilder AppendAuthority(StringBuilder text)
    {
        if (ZoneId is not null)
        {
            UriText.AppendZone(text.Append(Host.AsSpan(0, Host.Length - 1)).Append("%25"), ZoneId);
            text.Append(']');
        }
        else if (HostAddress is not null)
        {
            text.Append(Host);
        }
        else
        {
            UriText.AppendName(text, Host);
        }

        return IsDefaultPort ? text : text.Append(':').Append(CultureInfo.InvariantCulture, $"{Port}");
    }
}
