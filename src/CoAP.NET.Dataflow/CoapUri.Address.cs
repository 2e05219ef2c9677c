using CoAP.NET.Transports;

namespace CoAP.NET;

// What joins URIs and the addresses of transports, which do not know each other.
public sealed partial class CoapUri
{
    /// <summary>The URI that a request is for, with what it asks of a proxy (RFC 7252 sections 5.10.2 and 6.5).</summary>
    /// <param name="request">The request.</param>
    /// <param name="scheme">The scheme of the transport that the request was sent by, such as <c>coap</c>.</param>
    /// <param name="destination">Address and port that the request was sent to.</param>
    /// <returns>The URI.</returns>
    /// <exception cref="CoapUriException">The options name no URI.</exception>
    public static string ComposeRequestUri(CoapMessage request, string scheme, CoapAddress destination) =>
        ComposeRequestUri(request, scheme, destination.ToIPEndPoint());
}
