using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace CoAP.NET.Uris;

/// <summary>The host of a URI: a name or an IP address (RFC 3986 section 3.2.2, RFC 6874).</summary>
/// <param name="Text">As it goes into Uri-Host.</param>
/// <param name="Address">The address; null for a name.</param>
/// <param name="ZoneId">The zone of an IPv6 address; otherwise null.</param>
internal readonly record struct ParsedUriHost(string Text, IPAddress? Address, string? ZoneId)
{
    private const int MaxBytes = 255;

    private static readonly SearchValues<char> s_ipv6Chars = SearchValues.Create("0123456789abcdefABCDEF:.");
    private static readonly IdnMapping s_mapping = new();

    // Without ICU .NET encodes a name as it is, and neither maps nor checks it: the result may be another host.
    private static readonly bool s_hasIcu = "u\u0308".Normalize(NormalizationForm.FormC).Length == 1;

    /// <summary>Parses a host: an IPv6 address in brackets, an IPv4 address or a registered name.</summary>
    internal static bool TryParse(ReadOnlySpan<char> raw, int position, out ParsedUriHost host, out UriFault fault)
    {
        host = default;
        if (raw.IsEmpty)
        {
            fault = new UriFault(position, "The host is missing. Write scheme://host/path (RFC 7252 section 6.1).");
            return false;
        }

        if (raw[0] == '[')
        {
            return TryParseLiteral(raw, position, out host, out fault);
        }

        if (TryParseIPv4(raw, out host))
        {
            fault = default;
            return true;
        }

        if (!Ascii.IsValid(raw))
        {
            // RFC 3987 section 3.1: the name as in the DNS. A percent-encoded name is not an IDN, and stays unchanged.
            if (AsciiOf(raw.ToString()) is not { } ascii)
            {
                fault = new UriFault(position,
                    $"'{raw}' is not an internationalized host name (RFC 5891), or this program runs without ICU. Write the name in its "
                        + "xn-- form, or use an address.");
                return false;
            }

            raw = ascii;
        }

        // Lower case first, then decoding: the order of RFC 7252 section 6.4, step 5.
        if (!UriEncoding.TryDecode(AsciiText.ToLower(raw), UriEncoding.NameChars, position, MaxBytes, out string? name, out fault))
        {
            return false;
        }

        // Uri-Host is the decoded name, and composing a URI from it escapes only characters outside ASCII (RFC 7252 section 6.5, step 2). A
        // character that needs an escape therefore cannot be in a URI.
        foreach (char c in name)
        {
            if (c < 0x80 && !UriEncoding.IsNameLiteral(c))
            {
                fault = new UriFault(position,
                    $"The host has the character %{(int)c:X2}, which Uri-Host cannot carry (RFC 7252 section 6.5). Use a host name or an "
                        + "IP address.");
                return false;
            }
        }

        // An escaped digit is the digit (RFC 3986 section 6.2.2.2).
        if (!TryParseIPv4(name, out host))
        {
            host = new ParsedUriHost(name, null, null);
        }

        return true;
    }

    /// <summary>Returns the text of an address as in a URI: IPv6 in brackets and in the form of RFC 5952, without its scope.</summary>
    internal static string Format(IPAddress address) => address.AddressFamily == AddressFamily.InterNetwork
        ? address.ToString()
        : $"[{new IPAddress(address.GetAddressBytes())}]";

    private static bool TryParseLiteral(ReadOnlySpan<char> raw, int position, out ParsedUriHost host, out UriFault fault)
    {
        host = default;
        if (raw[^1] != ']')
        {
            fault = new UriFault(position, "The closing bracket of the IPv6 address is missing.");
            return false;
        }

        ReadOnlySpan<char> inner = raw[1..^1];
        string? zone = null;
        int percent = inner.IndexOf('%');
        if (percent >= 0)
        {
            ReadOnlySpan<char> rawZone = inner[percent..];
            if (!rawZone.StartsWith("%25", StringComparison.Ordinal) || rawZone.Length == 3)
            {
                fault = new UriFault(position + 1 + percent, "A zone must follow %25, as in [fe80::1%25eth0] (RFC 6874).");
                return false;
            }

            if (!UriEncoding.TryDecode(rawZone[3..], UriEncoding.ZoneChars, position + 4 + percent, MaxBytes, out zone, out fault))
            {
                return false;
            }

            inner = inner[..percent];
        }

        if (!TryParseIPv6(inner, out IPAddress? address))
        {
            fault = new UriFault(position, $"'{raw}' is not an IPv6 address. Write one in brackets, as in [2001:db8::1].");
            return false;
        }

        fault = default;
        string text = Format(address);
        if (zone is not null)
        {
            address = Scoped(address, zone);
        }

        host = new ParsedUriHost(text, address, zone);
        return true;
    }

    // Returns the address with the scope of a zone on this machine; without a scope for an unknown zone.
    private static IPAddress Scoped(IPAddress address, string zone) =>
        uint.TryParse(zone, NumberStyles.None, CultureInfo.InvariantCulture, out uint scope)
        ? new IPAddress(address.GetAddressBytes(), scope)
        : IPAddress.TryParse($"{address}%{zone}", out IPAddress? scoped) ? scoped
        : address;

    // A name as in the DNS; null if it is not valid (RFC 5891, with the mapping of Unicode's UTS 46).
    private static string? AsciiOf(string name)
    {
        try
        {
            return s_hasIcu ? s_mapping.GetAscii(name) : null;
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    // The framework's parser also accepts ports, prefixes, zones and octal numbers; this method passes only addresses to it.
    private static bool TryParseIPv6(ReadOnlySpan<char> text, [NotNullWhen(true)] out IPAddress? address)
    {
        address = null;
        return !text.ContainsAnyExcept(s_ipv6Chars)
            && (!text.Contains('.') || TryParseIPv4(text[(text.LastIndexOf(':') + 1)..], out _))
            && IPAddress.TryParse(text, out address) && address.AddressFamily == AddressFamily.InterNetworkV6;
    }

    // The framework's parser also accepts octal, hexadecimal and shorter forms, which are names in a URI: they are not their own text.
    private static bool TryParseIPv4(ReadOnlySpan<char> text, out ParsedUriHost host)
    {
        host = IPAddress.TryParse(text, out IPAddress? address) && address.AddressFamily == AddressFamily.InterNetwork
            ? new ParsedUriHost(address.ToString(), address, null) : default;
        return host.Address is not null && text.SequenceEqual(host.Text);
    }
}
