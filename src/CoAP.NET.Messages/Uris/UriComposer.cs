using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Uris;

/// <summary>Composes a URI from options (RFC 7252 section 6.5).</summary>
internal static class UriComposer
{
    /// <summary>Composes the URI of options.</summary>
    /// <param name="scheme">The scheme, in any case.</param>
    /// <param name="options">The options.</param>
    /// <param name="destination">The address and port to use if Uri-Host and Uri-Port are absent.</param>
    /// <param name="defaultHost">The host to use if Uri-Host is absent; null for the address.</param>
    /// <param name="fault">The error.</param>
    /// <returns>The URI; null if they form none.</returns>
    public static CoapUri? Compose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, string? defaultHost, out UriFault fault)
    {
        scheme = AsciiText.ToLower(scheme);
        if (!UriSchemes.TryGetDefaultPort(scheme, out _))
        {
            fault = UriSchemes.Unknown(scheme);
            return null;
        }

        return TryComposeHost(options, destination.Address, defaultHost, out ParsedUriHost host, out fault)
            && TryCopy(options, OptionNumber.UriPath, out string[]? path, out fault)
            && TryCopy(options, OptionNumber.UriQuery, out string[]? query, out fault)
            ? new CoapUri(scheme, host, options.UriPort ?? destination.Port, path is [""] ? [] : path, query)
            : null;
    }

    public static string Describe(UriFault fault) => $"The options of the request do not form a URI: {fault.Message}";

    // Steps 2 and 3: the option if it is a valid host, the address if the option is absent.
    private static bool TryComposeHost(
        CoapOptionCollection options, IPAddress destination, string? defaultHost, out ParsedUriHost host, out UriFault fault)
    {
        fault = default;
        if (!options.TryGetValue(OptionNumber.UriHost, out ReadOnlySpan<byte> bytes))
        {
            // Ignore a name that is not a valid host; it comes from the peer.
            if (defaultHost is not null
                && ParsedUriHost.TryParse(UriEncoding.EncodeNonAscii(defaultHost), 0, out host, out _)
                && host.ZoneId is null)
            {
                return true;
            }

            IPAddress address = destination.IsIPv4MappedToIPv6 ? destination.MapToIPv4() : destination;
            host = new ParsedUriHost(ParsedUriHost.Format(address), address, null);
            return true;
        }

        host = default;
        if (!Utf8.IsValid(bytes))
        {
            fault = new UriFault(0, "Uri-Host is not UTF-8.");
            return false;
        }

        // No name has a colon: this is an IPv6 address without brackets, as some clients send it.
        string text = Encoding.UTF8.GetString(bytes);
        if (text.Contains(':', StringComparison.Ordinal) && !text.StartsWith('['))
        {
            text = $"[{text}]";
        }

        // Ignore the zone of an address: in an option it belongs to another machine.
        return ParsedUriHost.TryParse(UriEncoding.EncodeNonAscii(text), 0, out host, out fault)
            && (host.ZoneId is null || Fail("Uri-Host has an IPv6 zone, which has no meaning on another machine.", out fault));
    }

    // Steps 6 to 8. Options are already decoded; only text that no URI can express is refused.
    private static bool TryCopy(
        CoapOptionCollection options, int number, [NotNullWhen(true)] out string[]? values, out UriFault fault)
    {
        values = null;
        List<string> texts = [];
        for (int i = Math.Max(options.IndexOf(number), 0); i < options.Count && options.NumberAt(i) <= number; i++)
        {
            if (options.NumberAt(i) < number)
            {
                continue;
            }

            ReadOnlySpan<byte> bytes = options.ValueAt(i);
            string text = Encoding.UTF8.GetString(bytes);
            if (!Utf8.IsValid(bytes)
                || bytes.Length > UriEncoding.MaxOptionBytes
                || (number == OptionNumber.UriPath && UriEncoding.IsDotSegment(text)))
            {
                return Fail(
                    $"A Uri-{(number == OptionNumber.UriPath ? "Path" : "Query")} option is '.', '..', not UTF-8 or longer than "
                        + $"{UriEncoding.MaxOptionBytes} bytes.",
                    out fault);
            }

            texts.Add(text);
        }

        fault = default;
        values = [.. texts];
        return true;
    }

    private static bool Fail(string message, out UriFault fault)
    {
        fault = new UriFault(0, message);
        return false;
    }
}
