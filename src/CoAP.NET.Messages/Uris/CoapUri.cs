using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Runtime.CompilerServices;
using System.Text;
using CoAP.NET.Uris;

namespace CoAP.NET;

/// <summary>A CoAP URI (RFC 7252 section 6, RFC 8323 section 8), or a reference to one.</summary>
/// <remarks>
/// Each method and constructor that takes a URI has an overload that takes a text instead. A property is set to
/// <c>new CoapUri("coap://device.example")</c>. A URI is one of three kinds:
/// <list type="bullet">
/// <item>An absolute CoAP URI (<see cref="IsCoap"/>), of which all members are known. <see cref="Parse"/> returns only this kind.</item>
/// <item>A relative reference such as <c>/temperature</c> (RFC 3986 section 4.2), for a client with a base address and for a
/// <c>CoapPeer</c>.</item>
/// <item>An absolute URI of another scheme, such as <c>http</c>, for a client with a proxy (<c>CoapClient.Proxy</c>).</item>
/// </list>
/// The members that name parts of the second and the third kind are empty, and <see cref="Port"/> is -1: only <see cref="Resolve"/> knows
/// what a reference means.
/// <para>
/// Immutable and normalized: scheme and host in lower case, dot segments resolved, no default port, only necessary escapes. Two URIs are
/// equal if their normal forms are equal. <see cref="Uri"/> is not a substitute: it drops an empty query, decodes and resolves by other
/// rules, and does not know the default ports. Components are decoded once, so <c>%2F</c> in a segment is a slash that does not separate
/// segments.
/// </para>
/// </remarks>
/// <example>
/// <code>
/// CoapUri uri = CoapUri.Parse("coap://[2001:db8::1]/rooms/7?unit=C");
/// CoapUri setpoint = uri.Resolve("/rooms/7/setpoint");
/// Console.WriteLine($"{uri.Host}, port {uri.Port}");
/// </code>
/// </example>
public sealed class CoapUri : IEquatable<CoapUri>
{
    private static readonly CoapUri s_anyHost = Parse("coap://[::]/");

    // The URIs of recent texts: a program sends its requests to a few.
    private static readonly RecentTextCache<CoapUri> s_recent = new();

    private readonly string[] _path;
    private readonly string[] _query;
    private readonly string _host;
    private readonly int _port;
    private string? _text;
    private CoapOptionCollection? _resourceOptions;
    private IPAddress[]? _addresses;

    /// <summary>Creates an absolute CoAP URI of its parts in the normal form.</summary>
    /// <param name="scheme">The scheme in lower case.</param>
    /// <param name="host">The host.</param>
    /// <param name="port">The port, 0 to 65,535.</param>
    /// <param name="path">The segments of the path, decoded; it becomes the URI's own.</param>
    /// <param name="query">The arguments of the query, decoded; it becomes the URI's own.</param>
    internal CoapUri(string scheme, in ParsedUriHost host, int port, string[] path, string[] query)
    {
        (Scheme, _host, HostAddress, ZoneId) = (scheme, host.Text, host.Address, host.ZoneId);
        (_port, _path, _query) = (port, path, query);
        Literal = HostAddress is { } address ? CoapAddress.Of(address, (ushort)port) : null;
        IsCoap = true;
    }

    /// <summary>
    /// Parses an absolute CoAP URI or IRI, a relative reference such as <c>../a?b=1</c> (RFC 3986 section 4.2), or an absolute URI of
    /// another scheme.
    /// </summary>
    /// <remarks><see cref="Parse"/> and <see cref="TryParse(string, out CoapUri)"/> accept the first kind only.</remarks>
    /// <param name="text">The text; empty for the base address itself.</param>
    /// <exception cref="CoapFormatException">The text is none of them, or has a fragment, or a part is too long for its option.</exception>
    public CoapUri(string text)
        : this(FromString(text))
    {
    }

    /// <summary>Converts a <see cref="Uri"/> by its original text, as <see cref="CoapUri(string)"/> does.</summary>
    /// <remarks>The original text, because <see cref="Uri"/> changes a URI by other rules.</remarks>
    /// <param name="uri">The URI.</param>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public CoapUri(Uri uri)
        : this(FromString((uri ?? throw new ArgumentNullException(nameof(uri))).OriginalString))
    {
    }

    // A reference, or a URI of another scheme.
    private CoapUri(string text, string scheme, CoapUri? atAnyHost)
    {
        (_text, Scheme, AtAnyHost) = (text, scheme, atAnyHost);
        (_host, _port, _path, _query) = ("", -1, [], []);
    }

    private CoapUri(CoapUri other)
    {
        (Scheme, _host, _port, _path, _query) = (other.Scheme, other._host, other._port, other._path, other._query);
        (HostAddress, ZoneId, Literal, IsCoap, AtAnyHost) = (other.HostAddress, other.ZoneId, other.Literal, other.IsCoap, other.AtAnyHost);
        _text = other._text;
    }

    /// <summary>Whether it is an absolute CoAP URI, so that all members are known.</summary>
    public bool IsCoap { get; }

    /// <summary>Whether it has a scheme: false for a relative reference (RFC 3986 section 4.2).</summary>
    public bool IsAbsolute => Scheme.Length > 0;

    /// <summary>The scheme in lower case: <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c>, <c>coaps+tcp</c>, <c>coap+ws</c> or
    /// <c>coaps+ws</c>; another one if it is not <see cref="IsCoap"/>, and empty for a relative reference.</summary>
    public string Scheme { get; }

    /// <summary>
    /// The host as in Uri-Host: a name in lower case and then percent-decoded, an IPv4 address, or an IPv6 address in brackets, in its
    /// shortest form and without its zone. Empty unless it is <see cref="IsCoap"/>.
    /// </summary>
    public string Host => _host;

    /// <summary>The host if it is an IP address; null for a name.</summary>
    /// <remarks>It has the scope of the zone if this machine knows it.</remarks>
    public IPAddress? HostAddress { get; }

    /// <summary>The zone of an IPv6 address, such as <c>eth0</c> in <c>coap://[fe80::1%25eth0]/</c> (RFC 6874); otherwise null.</summary>
    /// <remarks>Never sent.</remarks>
    public string? ZoneId { get; }

    /// <summary>The explicit port, or the default of the scheme.</summary>
    /// <remarks>0 to 65,535; -1 unless it is <see cref="IsCoap"/>.</remarks>
    public int Port => _port;

    /// <summary>Whether the port is the default of the scheme: 5683 (coap, coap+tcp), 5684 (coaps, coaps+tcp), 80 (coap+ws) or 443
    /// (coaps+ws).</summary>
    internal bool IsDefaultPort => UriSchemes.TryGetDefaultPort(Scheme, out int port) && port == _port;

    /// <summary>The decoded segments of the path: one Uri-Path option each.</summary>
    /// <remarks>Empty for <c>/</c>, and unless it is <see cref="IsCoap"/>; a trailing slash is an empty last segment.</remarks>
    public IReadOnlyList<string> PathSegments => _path;

    /// <summary>The decoded arguments of the query: one Uri-Query option each.</summary>
    /// <remarks>Empty without <c>?</c>, and unless it is <see cref="IsCoap"/>; an empty query is one empty argument.</remarks>
    public IReadOnlyList<string> QueryArguments => _query;

    /// <summary>Host, zone and port in the normal form: <c>example.net</c>, <c>[2001:db8::1]:61616</c>.</summary>
    /// <remarks>Empty unless it is <see cref="IsCoap"/>.</remarks>
    public string Authority => IsCoap ? AppendAuthority(new StringBuilder()).ToString() : "";

    /// <summary>Address and port if the host is an IP address; null for a name.</summary>
    internal CoapAddress? Literal { get; }

    /// <summary>A relative reference as a URI of a host without a name, for its path and query; null for the other kinds.</summary>
    internal CoapUri? AtAnyHost { get; }

    /// <summary>The host if it is an IP address, as a list with one item; null for a name. Do not change it.</summary>
    internal IPAddress[]? Addresses => HostAddress is null ? null : _addresses ??= [HostAddress];

    /// <summary>
    /// The options that <see cref="AddTo"/> adds if the request goes to the address and port in this URI. Messages share them, so
    /// they are read-only.
    /// </summary>
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
            options.MakeReadOnly();
            Volatile.Write(ref _resourceOptions, options);
            return options;
        }
    }

    /// <summary>Returns whether two URIs have the same normal form.</summary>
    /// <param name="left">The left URI.</param>
    /// <param name="right">The right URI.</param>
    public static bool operator ==(CoapUri? left, CoapUri? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Returns whether two URIs have different normal forms.</summary>
    /// <param name="left">The left URI.</param>
    /// <param name="right">The right URI.</param>
    public static bool operator !=(CoapUri? left, CoapUri? right) => !(left == right);

    /// <summary>Returns the URI of a text, of any of the three kinds, as overloads with a text do.</summary>
    /// <remarks>It remembers the results of recent texts, so that a text that a program uses for many requests is parsed once.</remarks>
    /// <param name="text">The text; empty for the base address itself.</param>
    /// <param name="parameter">The name of the parameter with the text.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapFormatException">The text is none of them, or has a fragment, or a part is too long for its option.</exception>
    internal static CoapUri FromString(string text, [CallerArgumentExpression(nameof(text))] string? parameter = null)
    {
        ArgumentNullException.ThrowIfNull(text, parameter);
        if (s_recent.TryFind(text, out CoapUri? known))
        {
            return known;
        }

        CoapUri uri = Read(text);

        // URIs with a zone are not remembered, because the interface of a zone may change.
        if (uri.ZoneId is null && uri.AtAnyHost?.ZoneId is null)
        {
            s_recent.Note(text, uri);
        }

        return uri;
    }

    /// <summary>
    /// Parses an absolute CoAP URI, or an IRI such as <c>coap://bücher.example/grüner tee</c>, which is mapped to its URI (RFC 3987 section
    /// 3.1).
    /// </summary>
    /// <remarks>
    /// Characters outside ASCII become UTF-8 in the options, <c>%</c> with two hexadecimal digits stays an escape, and a host name gets its
    /// <c>xn--</c> form.
    /// </remarks>
    /// <param name="text">The text, such as <c>coap://[2001:db8::1]/sensors/temperature?unit=C</c>.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapFormatException">The text is not an absolute CoAP URI, or has a fragment, or a part is too long for its
    /// option.</exception>
    public static CoapUri Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return UriReader.TryParse(text, out CoapUri? uri, out UriFault fault)
            ? uri
            : throw new CoapFormatException(fault.Describe(text), fault.Position);
    }

    /// <summary>Parses an absolute CoAP URI or IRI; see <see cref="Parse"/>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="uri">The URI.</param>
    /// <returns>Whether the text is an absolute CoAP URI.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out CoapUri? uri) =>
        TryParse(text, out uri, out string? _);

    /// <summary>Parses an absolute CoAP URI or IRI; see <see cref="Parse"/>.</summary>
    /// <param name="text">The text.</param>
    /// <param name="uri">The URI.</param>
    /// <param name="error">The error and what to do.</param>
    /// <returns>Whether the text is an absolute CoAP URI.</returns>
    public static bool TryParse([NotNullWhen(true)] string? text, [NotNullWhen(true)] out CoapUri? uri,
        [NotNullWhen(false)] out string? error)
    {
        error = UriReader.TryParse(text ?? string.Empty, out uri, out UriFault fault) ? null : fault.Describe(text ?? string.Empty);
        return uri is not null;
    }

    /// <summary>Returns the URI of an address.</summary>
    /// <param name="scheme">The scheme of its transport, which may be unknown outside of this endpoint.</param>
    /// <param name="address">The address.</param>
    internal static CoapUri FromAddress(string scheme, CoapAddress address)
    {
        string host = address.IsIPv4 ? address.ToIPAddress().ToString()
            : address.ScopeId == 0 ? $"[{address.ToIPAddress()}]"
            : $"[{(address with { ScopeId = 0 }).ToIPAddress()}%25{address.ScopeId}]";
        return FromString(string.Create(CultureInfo.InvariantCulture, $"{scheme}://{host}:{address.Port}"));
    }

    /// <summary>Returns why a text is not an absolute CoAP URI, without the text; null if it is one.</summary>
    internal static string? ProblemOf(string text) => UriReader.TryParse(text, out _, out UriFault fault) ? null : fault.Describe();

    /// <summary>Returns scheme and authority of a URI as written, such as <c>coap://example.net:61616</c>.</summary>
    /// <remarks>The URI need not be valid.</remarks>
    /// <param name="uri">The URI; for a reference without a scheme, the result is everything up to the path.</param>
    /// <returns>The part before path, query and fragment.</returns>
    internal static string OriginOf(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        int authority = uri.IndexOf("://", StringComparison.Ordinal);
        int start = authority < 0 ? 0 : authority + 3;
        int length = uri.AsSpan(start).IndexOfAny('/', '?', '#');
        return length < 0 ? uri : uri[..(start + length)];
    }

    /// <summary>Composes the URI from the options of a request (RFC 7252 section 6.5).</summary>
    /// <remarks>Proxy-Uri and Proxy-Scheme are ignored.</remarks>
    /// <param name="scheme">The scheme of the transport of the request, such as <c>coap</c>.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">Destination address and port of the request; used if Uri-Host and Uri-Port are absent.</param>
    /// <returns>The URI. A single empty Uri-Path has the same result as none.</returns>
    /// <exception cref="CoapFormatException">Uri-Host is not a host, a segment is <c>.</c> or <c>..</c>, or the scheme is not a CoAP
    /// scheme.</exception>
    internal static CoapUri Compose(string scheme, CoapOptionCollection options, IPEndPoint destination) =>
        Compose(scheme, options, destination, defaultHost: null);

    /// <summary>Composes the URI from the options of a request (RFC 7252 section 6.5).</summary>
    /// <remarks>Proxy-Uri and Proxy-Scheme are ignored.</remarks>
    /// <param name="scheme">The scheme of the transport of the request, such as <c>coap</c>.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">Destination address and port of the request; used if Uri-Host and Uri-Port are absent.</param>
    /// <param name="uri">The URI. A single empty Uri-Path has the same result as none.</param>
    /// <param name="error">The error.</param>
    /// <returns>Whether the options form a URI.</returns>
    internal static bool TryCompose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, [NotNullWhen(true)] out CoapUri? uri,
        [NotNullWhen(false)] out string? error)
    {
        uri = Compose(scheme, options, destination, null, out UriFault fault);
        error = uri is null ? UriComposer.Describe(fault) : null;
        return uri is not null;
    }

    /// <summary>
    /// Composes the URI of a request, including a proxy request: the unchanged Proxy-Uri, or the composed URI with Proxy-Scheme as its
    /// scheme (RFC 7252 sections 5.10.2 and 6.5).
    /// </summary>
    /// <remarks>The result is text because it may have any scheme.</remarks>
    /// <param name="request">The request.</param>
    /// <param name="scheme">The scheme of the transport of the request, such as <c>coap</c>.</param>
    /// <param name="destination">Destination address and port of the request.</param>
    /// <returns>The URI. An implicit port that is the default of <paramref name="scheme"/> becomes the default of the scheme that replaces
    /// it.</returns>
    /// <exception cref="CoapFormatException">The options do not form a URI.</exception>
    internal static string ComposeRequestUri(CoapMessage request, string scheme, IPEndPoint destination)
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

        // The default port of one scheme may not be the default of the other.
        int end = uri.Scheme.Length + "://".Length + uri.Authority.Length;
        string port = request.Options.UriPort is { } named && uri.IsDefaultPort
            && !(UriSchemes.TryGetDefaultPort(AsciiText.ToLower(proxyScheme), out int known) && known == named)
            ? string.Create(CultureInfo.InvariantCulture, $":{named}") : string.Empty;
        return string.Concat(proxyScheme, text.AsSpan(uri.Scheme.Length, end - uri.Scheme.Length), port, text.AsSpan(end));
    }

    /// <summary>Composes the URI with a default host for requests without Uri-Host (RFC 8323 section 8.5); null for the address.</summary>
    internal static CoapUri Compose(string scheme, CoapOptionCollection options, IPEndPoint destination, string? defaultHost) =>
        Compose(scheme, options, destination, defaultHost, out UriFault fault)
            ?? throw new CoapFormatException(UriComposer.Describe(fault), fault.Position);

    /// <summary>Composes the URI of a request, including a proxy request (RFC 7252 sections 5.10.2 and 6.5).</summary>
    /// <param name="request">The request.</param>
    /// <param name="scheme">The scheme of the transport of the request, such as <c>coap</c>.</param>
    /// <param name="destination">Destination address and port of the request.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapFormatException">The options do not form a URI.</exception>
    internal static string ComposeRequestUri(CoapMessage request, string scheme, CoapAddress destination)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Options.ProxyUri ?? ComposeRequestUri(request, scheme, destination.ToIPEndPoint());
    }

    /// <summary>Resolves a reference against this URI, such as a Location or the target of a link (RFC 3986 section 5.2).</summary>
    /// <param name="reference">An absolute CoAP URI, or a relative reference such as <c>../a?b=1</c>.</param>
    /// <returns>The resolved URI.</returns>
    /// <exception cref="CoapFormatException">The reference is invalid, leads to a scheme other than CoAP's, or has a fragment.</exception>
    public CoapUri Resolve(string reference)
    {
        ArgumentNullException.ThrowIfNull(reference);
        return UriReader.TryResolve(this, reference, out CoapUri? uri, out UriFault fault)
            ? uri
            : throw new CoapFormatException(fault.Describe(reference), fault.Position);
    }

    /// <summary>Resolves a reference against this URI, such as a Location or the target of a link (RFC 3986 section 5.2).</summary>
    /// <param name="reference">An absolute CoAP URI, or a relative reference such as <c>../a?b=1</c>.</param>
    /// <param name="uri">The resolved URI.</param>
    /// <param name="error">The error and what to do.</param>
    /// <returns>Whether the reference leads to a CoAP URI.</returns>
    internal bool TryResolve([NotNullWhen(true)] string? reference, [NotNullWhen(true)] out CoapUri? uri,
        [NotNullWhen(false)] out string? error)
    {
        UriFault fault = new(0, "The reference is null.");
        uri = null;
        error = reference is not null && UriReader.TryResolve(this, reference, out uri, out fault)
            ? null
            : fault.Describe(reference ?? string.Empty);
        return uri is not null;
    }

    /// <summary>Resolves a URI that is not of another scheme against this one.</summary>
    /// <returns>The reference itself if it is absolute.</returns>
    internal CoapUri ResolveReference(CoapUri reference) => reference.IsAbsolute ? reference : Resolve(reference.ToString());

    /// <summary>Throws if it is not an absolute CoAP URI, such as for a base address.</summary>
    /// <param name="uri">The URI; null is allowed.</param>
    /// <param name="name">The name of the parameter.</param>
    /// <exception cref="ArgumentException">It is relative, or of another scheme.</exception>
    internal static void RequireCoap(CoapUri? uri, string name)
    {
        if (uri is { IsCoap: false } && !TryParse(uri.ToString(), out _, out string? error))
        {
            throw new ArgumentException(error, name);
        }
    }

    /// <summary>
    /// Adds the options that name the resource of this URI: Uri-Host unless the request goes to that IP address, Uri-Port unless it goes to
    /// that port, Uri-Path and Uri-Query (RFC 7252 section 6.4).
    /// </summary>
    /// <remarks>The zone of an IPv6 address is never sent.</remarks>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">The destination IP address of the request; null if it is the address in this URI, or that of its
    /// name.</param>
    /// <param name="destinationPort">The destination port of the request, 0 to 65,535; null if it is the port of this URI.</param>
    /// <exception cref="InvalidOperationException">It is not an absolute CoAP URI.</exception>
    internal void AddTo(CoapOptionCollection options, IPAddress? destination = null, int? destinationPort = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (!IsCoap)
        {
            throw new InvalidOperationException(
                IsAbsolute ? $"'{this}' is not a CoAP URI, so its parts are unknown."
                    : $"'{this}' is relative. Resolve it against a base URI first.");
        }

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

    /// <summary>Returns the normal form; parsing it results in an equal URI.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        if (_text is null)
        {
            StringBuilder text = new(64);
            AppendAuthority(text.Append(Scheme).Append("://"));
            UriEncoding.AppendPathAndQuery(text, _path, _query);
            _text = text.ToString();
        }

        return _text;
    }

    private static CoapUri Read(string text)
    {
        if (UriReader.TryParse(text, out CoapUri? uri, out UriFault fault))
        {
            return uri;
        }

        int colon = UriReader.FindScheme(text);
        if (colon < 0)
        {
            return UriReader.TryResolve(s_anyHost, text, out uri, out fault)
                ? new CoapUri(text, "", uri)
                : throw new CoapFormatException(fault.Describe(text), fault.Position);
        }

        string scheme = AsciiText.ToLower(text.AsSpan(0, colon));
        return !UriSchemes.TryGetDefaultPort(scheme, out _) && text.AsSpan(colon + 1).StartsWith("//", StringComparison.Ordinal)
            ? new CoapUri(text, scheme, null)
            : throw new CoapFormatException(fault.Describe(text), fault.Position);
    }

    private static CoapUri? Compose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, string? defaultHost, out UriFault fault)
    {
        ArgumentNullException.ThrowIfNull(scheme);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(destination);
        return UriComposer.Compose(scheme, options, destination, defaultHost, out fault);
    }

    // The scope identifies an interface, not a host; a dual-mode socket shows IPv4 addresses as mapped ones.
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
            UriEncoding.AppendZone(text.Append(Host.AsSpan(0, Host.Length - 1)).Append("%25"), ZoneId);
            text.Append(']');
        }
        else if (HostAddress is not null)
        {
            text.Append(Host);
        }
        else
        {
            UriEncoding.AppendName(text, Host);
        }

        return IsDefaultPort ? text : text.Append(':').Append(CultureInfo.InvariantCulture, $"{Port}");
    }
}
