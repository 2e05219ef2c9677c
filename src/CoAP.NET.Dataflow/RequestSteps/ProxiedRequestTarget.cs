using System.Net;
using CoAP.NET.Uris;

namespace CoAP.NET.RequestSteps;

/// <summary>The target of a request to a forward proxy (RFC 7252 section 5.10.2).</summary>
internal sealed class ProxiedRequestTarget
{
    private readonly CoapUri? _split;
    private readonly int? _port;

    private ProxiedRequestTarget(string scheme, string text, CoapUri? split, int? port) =>
        (Scheme, Text, _split, _port) = (scheme, text, split, port);

    /// <summary>The scheme, in lower case.</summary>
    public string Scheme { get; }

    /// <summary>The absolute URI, as it goes into Proxy-Uri.</summary>
    public string Text { get; }

    /// <summary>Reads the target of a request.</summary>
    /// <param name="text">The URI that it was made with.</param>
    /// <param name="request">The request, whose Uri options count too.</param>
    /// <exception cref="ArgumentException">They do not form a URI for a proxy.</exception>
    public static ProxiedRequestTarget Read(string text, CoapRequest request)
    {
        int colon = text.IndexOf("://", StringComparison.Ordinal);
        string scheme = colon < 0 ? string.Empty : AsciiText.ToLower(text.AsSpan(0, colon));
        if (colon < 0 || UriSchemes.TryGetDefaultPort(scheme, out _))
        {
            CoapUri uri = RequestComposer.ParseTarget(text);
            CoapOptionCollection? options = request.Message.OptionsToRead;
            CoapUri whole = uri.ZoneId is null && options?.Any(static option => NamesTarget(option.Number)) != true
                ? uri : Combine(uri, options);
            return new ProxiedRequestTarget(whole.Scheme, whole.ToString(), whole, whole.IsDefaultPort ? null : whole.Port);
        }

        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? other) || other.Host.Length == 0 || other.Fragment.Length > 0)
        {
            throw new ArgumentException($"'{text}' is not a URI for a proxy. Use an absolute URI without a fragment.");
        }

        if (other.UserInfo.Length > 0)
        {
            // Do not repeat the text: it contains a password.
            throw new ArgumentException($"The URI of {other.Host} has user information, which the proxy must not see. Leave it out.");
        }

        if (request.Message.HasOptions && request.Options.Any(static option => NamesTarget(option.Number)))
        {
            throw new ArgumentException(
                "Uri-Host, Uri-Port, Uri-Path and Uri-Query name a resource of CoAP. Put everything into the URI instead.");
        }

        CoapUri? split = CoapUri.TryParse($"coap{other.AbsoluteUri[scheme.Length..]}", out CoapUri? parts) ? parts : null;
        return new ProxiedRequestTarget(scheme, other.AbsoluteUri, split, other.Port < 0 ? null : other.Port);
    }

    /// <summary>Adds the options that name the target in addition to Proxy-Scheme.</summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="proxyPort">The port of the proxy, which applies without Uri-Port; null if it is unknown.</param>
    /// <exception cref="ArgumentException">These options cannot express the URI.</exception>
    public void AddTo(CoapOptionCollection options, int? proxyPort)
    {
        if (_split is not { } uri)
        {
            throw new ArgumentException($"'{Text}' cannot be split into Uri-Host, Uri-Path and Uri-Query, and is too long for Proxy-Uri.");
        }

        options.Add(new ProxySchemeOption(Scheme));
        CoapOptionCollection own = new();
        uri.AddTo(own);
        own.Remove(OptionNumber.UriHost);
        options.AddString(OptionNumber.UriHost, uri.Host);
        int port = _port ?? uri.Port;
        if (_port is not null || port != proxyPort)
        {
            options.AddUInt(OptionNumber.UriPort, (uint)port);
        }

        options.AddAll(own);
    }

    private static bool NamesTarget(int number) =>
        number is OptionNumber.UriHost or OptionNumber.UriPort or OptionNumber.UriPath or OptionNumber.UriQuery;

    // As the request to the server itself, without a zone, which has a meaning on this machine only.
    private static CoapUri Combine(CoapUri uri, CoapOptionCollection? added)
    {
        CoapOptionCollection options = new();
        foreach (CoapOption option in added ?? options)
        {
            if (NamesTarget(option.Number))
            {
                options.Add(option);
            }
        }

        CoapOptionCollection own = new();
        uri.AddTo(own, IPAddress.Any);
        foreach (int number in (int[])[OptionNumber.UriHost, OptionNumber.UriPort])
        {
            if (options.Contains(number))
            {
                own.Remove(number);
            }
        }

        options.AddAll(own);
        IPEndPoint destination = new(IPAddress.Any, uri.Port);
        return CoapUri.TryCompose(uri.Scheme, options, destination, out CoapUri? whole, out string? error)
            ? whole : throw new ArgumentException(error);
    }
}
