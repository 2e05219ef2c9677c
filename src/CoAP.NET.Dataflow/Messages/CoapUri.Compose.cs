using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Text;
using System.Text.Unicode;
using CoAP.NET.Messages;
using CoAP.NET.Options;

namespace CoAP.NET;

// From options to URI (RFC 7252 section 6.5).
public sealed partial class CoapUri
{
    /// <summary>The URI that the options of a request name (RFC 7252 section 6.5). Proxy-Uri and Proxy-Scheme are not looked at.</summary>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">Address and port that the request was sent to; they count where Uri-Host and Uri-Port are absent.</param>
    /// <returns>The URI. A single empty Uri-Path gives the same as none.</returns>
    /// <exception cref="CoapUriException">Uri-Host is no host, a segment is <c>.</c> or <c>..</c>, or the scheme is none of CoAP.</exception>
    public static CoapUri Compose(string scheme, CoapOptionCollection options, IPEndPoint destination) =>
        TryCompose(scheme, options, destination, out CoapUri? uri, out UriFault fault) ? uri : throw new CoapUriException(DescribeOptions(fault), fault.Position);

    /// <summary>The URI that the options of a request name (RFC 7252 section 6.5). Proxy-Uri and Proxy-Scheme are not looked at.</summary>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="destination">Address and port that the request was sent to; they count where Uri-Host and Uri-Port are absent.</param>
    /// <param name="uri">The URI. A single empty Uri-Path gives the same as none.</param>
    /// <param name="error">What is wrong.</param>
    /// <returns>Whether the options name a URI.</returns>
    public static bool TryCompose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, [NotNullWhen(true)] out CoapUri? uri, [NotNullWhen(false)] out string? error)
    {
        bool composed = TryCompose(scheme, options, destination, out uri, out UriFault fault);
        error = composed ? null : DescribeOptions(fault);
        return composed;
    }

    /// <summary>
    /// The URI that a request is for, with what it asks of a proxy: Proxy-Uri as it stands, or the composed URI with Proxy-Scheme in the place of its
    /// scheme (RFC 7252 sections 5.10.2 and 6.5). Hence text: it may be of any scheme.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="destination">Address and port that the request was sent to.</param>
    /// <returns>The URI. A port that is the default of <paramref name="scheme"/> is left out before the scheme is replaced.</returns>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public static string ComposeRequestUri(CoapMessage request, string scheme, IPEndPoint destination)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Options.ProxyUri is { } proxyUri)
        {
            return proxyUri;
        }

        string text = Compose(scheme, request.Options, destination).ToString();
        return request.Options.ProxyScheme is { } proxyScheme ? string.Concat(proxyScheme, text.AsSpan(text.IndexOf(':', StringComparison.Ordinal))) : text;
    }

    /// <summary>The same, with the host that counts where Uri-Host is absent (RFC 8323 section 8.5); null for the address.</summary>
    internal static CoapUri Compose(string scheme, CoapOptionCollection options, IPEndPoint destination, string? defaultHost) =>
        TryCompose(scheme, options, destination, out CoapUri? uri, out UriFault fault, defaultHost) ? uri : throw new CoapUriException(DescribeOptions(fault), fault.Position);

    private static bool TryCompose(
        string scheme, CoapOptionCollection options, IPEndPoint destination, [NotNullWhen(true)] out CoapUri? uri, out UriFault fault, string? defaultHost = null)
    {
        ArgumentNullException.ThrowIfNull(scheme);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(destination);
        uri = null;
        scheme = UriText.ToLowerAscii(scheme);
        if (!TryGetDefaultPort(scheme, out _))
        {
            fault = new UriFault(0, $"The scheme '{scheme}' is none of CoAP. Use {Schemes}.");
            return false;
        }

        if (!TryComposeHost(options, destination.Address, defaultHost, out UriHostName host, out fault)
            || !TryCopy(options, OptionNumber.UriPath, out string[]? path, out fault)
            || !TryCopy(options, OptionNumber.UriQuery, out string[]? query, out fault))
        {
            return false;
        }

        uri = new CoapUri(scheme, host, options.UriPort ?? destination.Port, path is [""] ? [] : path, query);
        return true;
    }

    // Steps 2 and 3: the option where it is a valid host, the address where the option is absent.
    private static bool TryComposeHost(CoapOptionCollection options, IPAddress destination, string? defaultHost, out UriHostName host, out UriFault fault)
    {
        fault = default;
        if (!options.TryGetValue(OptionNumber.UriHost, out ReadOnlySpan<byte> bytes))
        {
            // A name that is no host of a URI names none; it comes from the peer.
            if (defaultHost is not null && UriHostName.TryParse(UriText.EncodeNonAscii(defaultHost), 0, out host, out _) && host.ZoneId is null)
            {
                return true;
            }

            IPAddress address = destination.IsIPv4MappedToIPv6 ? destination.MapToIPv4() : destination;
            host = new UriHostName(UriHostName.Format(address), address, null);
            return true;
        }

        host = default;
        if (!Utf8.IsValid(bytes))
        {
            fault = new UriFault(0, "Uri-Host is no UTF-8.");
            return false;
        }

        // An address keeps no zone here: one in an option would be the other machine's.
        return UriHostName.TryParse(UriText.EncodeNonAscii(Encoding.UTF8.GetString(bytes)), 0, out host, out fault)
            && (host.ZoneId is null || Fail("Uri-Host has an IPv6 zone, which means nothing to another machine.", out fault));
    }

    // Steps 6 to 8. Options are decoded text already; only what no URI can express is refused.
    private static bool TryCopy(CoapOptionCollection options, int number, [NotNullWhen(true)] out string[]? values, out UriFault fault)
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
            if (!Utf8.IsValid(bytes) || bytes.Length > MaxOptionBytes || (number == OptionNumber.UriPath && UriText.IsDotSegment(text)))
            {
                return Fail($"A Uri-{(number == OptionNumber.UriPath ? "Path" : "Query")} option is '.', '..', no UTF-8 or longer than {MaxOptionBytes} bytes.", out fault);
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

    private static string DescribeOptions(UriFault fault) => $"The options of the request name no URI: {fault.Message}";
}
