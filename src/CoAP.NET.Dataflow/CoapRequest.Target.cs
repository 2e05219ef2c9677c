using CoAP.NET.Channels;

namespace CoAP.NET;

// Which resource a request is for, as a URI.
public sealed partial class CoapRequest
{
    /// <summary>
    /// The host that the request is for: Uri-Host; without it what the client called this server by Server Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the address
    /// that it was sent to. For a request to send the host of its URI. IPv6 addresses stand in brackets.
    /// </summary>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public string Host => GetUri().Host;

    /// <summary>
    /// The URI of the request. For a received one it is composed of its options (RFC 7252 section 6.5); where Uri-Host is absent it has what the client called this server by Server
    /// Name Indication or a Host header (RFC 8323 section 8.5), and otherwise the address that it was sent to. Proxy-Uri and Proxy-Scheme are not looked at.
    /// </summary>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The options name no URI, or the text of the URI is none.</exception>
    /// <exception cref="InvalidOperationException">It is a request to send that was made without a URI.</exception>
    public CoapUri GetUri()
    {
        if (Channel is { } channel)
        {
            return CoapUri.Compose(channel.Transport.Scheme, Options, channel.Local.ToIPEndPoint(), channel.DefaultHost);
        }

        return CoapUri.Parse(UriText ?? throw new InvalidOperationException("The request was made of a message, without a URI."));
    }
}
