using System.Globalization;
using System.Net;
using System.Text;
using CoAP.NET.Messages;

namespace CoAP.NET;

/// <summary>
/// An absolute CoAP URI (RFC 7252 section 6, RFC 8323 section 8). Immutable; kept in its normal form: scheme and host in lower case, dot segments
/// resolved, no default port, escapes only where they are needed. Equal when the normal forms are equal.
/// </summary>
/// <remarks>
/// <see cref="Uri"/> is no substitute: it drops an empty query, decodes and resolves by rules of its own, and does not know the default ports.
/// The name is decoded once, so that <c>%2F</c> in a segment is a slash that separates nothing.
/// </remarks>
public sealed partial class CoapUri : IEquatable<CoapUri>
{
    private readonly string[] _path;
    private readonly string[] _query;
    private string? _text;

    private CoapUri(string scheme, UriHostName host, int port, string[] path, string[] query)
    {
        Scheme = scheme;
        Host = host.Text;
        HostAddress = host.Address;
        ZoneId = host.ZoneId;
        Port = port;
        Literal = HostAddress is { } address ? Transports.CoapAddress.Of(address, (ushort)port) : null;
        _path = path;
        _query = query;
    }

    /// <summary>The scheme in lower case: <c>coap</c>, <c>coaps</c>, <c>coap+tcp</c>, <c>coaps+tcp</c>, <c>coap+ws</c> or <c>coaps+ws</c>.</summary>
    public string Scheme { get; }

    /// <summary>
    /// The host as it goes into Uri-Host: a name turned to lower case and then percent-decoded, an IPv4 address, or an IPv6 address in brackets, in its
    /// shortest form and without its zone.
    /// </summary>
    public string Host { get; }

    /// <summary>The host where it is an IP address; null for a name. Has the scope of the zone if this machine knows it.</summary>
    public IPAddress? HostAddress { get; }

    /// <summary>The zone of an IPv6 address, such as <c>eth0</c> in <c>coap://[fe80::1%25eth0]/</c> (RFC 6874); otherwise null. Never sent.</summary>
    public string? ZoneId { get; }

    /// <summary>The port: as written, or the default of the scheme. 0 to 65,535.</summary>
    public int Port { get; }

    /// <summary>Whether the port is the default of the scheme: 5683 (coap, coap+tcp), 5684 (coaps, coaps+tcp), 80 (coap+ws) or 443 (coaps+ws).</summary>
    public bool IsDefaultPort => TryGetDefaultPort(Scheme, out int port) && port == Port;

    /// <summary>The segments of the path, decoded: one Uri-Path option each. None for <c>/</c>; a trailing slash is an empty last one.</summary>
    public IReadOnlyList<string> PathSegments => _path;

    /// <summary>The arguments of the query, decoded: one Uri-Query option each. None without <c>?</c>; an empty query is one empty argument.</summary>
    public IReadOnlyList<string> QueryArguments => _query;

    /// <summary>Host, zone and port as they stand in the normal form: <c>example.net</c>, <c>[2001:db8::1]:61616</c>.</summary>
    public string Authority => AppendAuthority(new StringBuilder()).ToString();

    /// <summary>Whether two URIs have the same normal form.</summary>
    /// <param name="left">The left URI.</param>
    /// <param name="right">The right URI.</param>
    public static bool operator ==(CoapUri? left, CoapUri? right) => left is null ? right is null : left.Equals(right);

    /// <summary>Whether two URIs have different normal forms.</summary>
    /// <param name="left">The left URI.</param>
    /// <param name="right">The right URI.</param>
    public static bool operator !=(CoapUri? left, CoapUri? right) => !(left == right);

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

    internal static bool TryGetDefaultPort(string scheme, out int port)
    {
        port = scheme switch
        {
            "coap" or "coap+tcp" => 5683,
            "coaps" or "coaps+tcp" => 5684,
            "coap+ws" => 80,
            "coaps+ws" => 443,
            _ => -1,
        };
        return port >= 0;
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
