using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>Parses URI references in UTF-8, as far as a directory needs it.</summary>
internal static class Utf8UriParser
{
    private static readonly SearchValues<byte> s_schemeBytes =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-."u8);

    /// <summary>Returns the length of the scheme before the colon; 0 for a reference without one.</summary>
    public static int SchemeLength(ReadOnlySpan<byte> uri)
    {
        int length = uri.IndexOfAnyExcept(s_schemeBytes);
        return length > 0 && uri[length] == ':' && char.IsAsciiLetter((char)uri[0]) ? length : 0;
    }

    /// <summary>
    /// Whether registrations may have this target or anchor (RFC 9176 appendix C, Limited Link Format): a full URI, or a path that begins
    /// with one slash.
    /// </summary>
    public static bool IsLimited(ReadOnlySpan<byte> reference) =>
        SchemeLength(reference) > 0 || (reference.StartsWith("/"u8) && !reference.StartsWith("//"u8));

    /// <summary>Returns scheme and authority of a URI, the base for paths.</summary>
    public static ReadOnlySpan<byte> OriginOf(ReadOnlySpan<byte> uri)
    {
        int start = SchemeLength(uri) + 1;
        if (!uri[start..].StartsWith("//"u8))
        {
            return uri[..start];
        }

        int length = uri[(start + 2)..].IndexOfAny("/?#"u8);
        return length < 0 ? uri : uri[..(start + 2 + length)];
    }

    /// <summary>Whether a reference has dot segments, which resolution removes (RFC 3986 section 5.2.4).</summary>
    public static bool HasDotSegments(ReadOnlySpan<byte> reference) =>
        reference.IndexOf("/."u8) >= 0 && HasDots(PathOf(reference));

    /// <summary>Writes a resolved target or anchor (RFC 3986 section 5.2). Full URIs stay unchanged.</summary>
    /// <param name="origin">Scheme and authority of the base.</param>
    /// <param name="reference">A reference that <see cref="IsLimited"/> accepts.</param>
    /// <param name="to">Receives the URI.</param>
    public static void WriteResolved(ReadOnlySpan<byte> origin, ReadOnlySpan<byte> reference, IBufferWriter<byte> to)
    {
        if (!reference.StartsWith("/"u8))
        {
            to.Write(reference);
        }
        else if (HasDotSegments(reference))
        {
            to.Write(Encoding.UTF8.GetBytes(
                new CoapLink(Encoding.UTF8.GetString(reference)).ResolveTarget(Encoding.UTF8.GetString(origin))));
        }
        else
        {
            to.Write(origin);
            to.Write(reference);
        }
    }

    /// <summary>Returns the host of a full URI, with brackets; empty for none.</summary>
    public static ReadOnlySpan<byte> HostOf(ReadOnlySpan<byte> uri)
    {
        int scheme = SchemeLength(uri);
        ReadOnlySpan<byte> origin = scheme == 0 ? default : OriginOf(uri)[(scheme + 1)..];
        if (!origin.StartsWith("//"u8))
        {
            return default;
        }

        origin = origin[2..];
        origin = origin[(origin.LastIndexOf((byte)'@') + 1)..];
        int end = origin.StartsWith("["u8) ? origin.IndexOf((byte)']') + 1 : origin.IndexOf((byte)':');
        return end < 0 ? origin : origin[..end];
    }

    /// <summary>Whether the host of a URI is a link-local address.</summary>
    public static bool IsLinkLocal(ReadOnlySpan<byte> uri)
    {
        ReadOnlySpan<byte> host = HostOf(uri);
        if (host.IsEmpty || (host[0] != '[' && !char.IsAsciiDigit((char)host[0])))
        {
            return false;
        }

        string text = Encoding.UTF8.GetString(host[0] == '[' ? host[1..^1] : host);
        return IPAddress.TryParse(text, out IPAddress? address) && IsLinkLocal(address);
    }

    /// <summary>Whether the host of a URI has a zone identifier, which is only valid on one host (RFC 6874).</summary>
    public static bool HasZone(ReadOnlySpan<byte> uri) => HostOf(uri) is var host && host.StartsWith("["u8) && host.Contains((byte)'%');

    private static bool IsLinkLocal(IPAddress address)
    {
        if (address.IsIPv4MappedToIPv6)
        {
            address = address.MapToIPv4();
        }

        return address.AddressFamily == AddressFamily.InterNetwork
            ? address.GetAddressBytes() is [169, 254, ..]
            : address.IsIPv6LinkLocal;
    }

    private static ReadOnlySpan<byte> PathOf(ReadOnlySpan<byte> reference)
    {
        int end = reference.IndexOfAny("?#"u8);
        return end < 0 ? reference : reference[..end];
    }

    private static bool HasDots(ReadOnlySpan<byte> path)
    {
        foreach (Range range in path.Split((byte)'/'))
        {
            if (path[range].SequenceEqual("."u8) || path[range].SequenceEqual(".."u8))
            {
                return true;
            }
        }

        return false;
    }
}
