namespace CoAP.NET.Http;

/// <summary>
/// What <see cref="HttpRequestMessage.Options"/> may say to a <see cref="CoapHttpMessageHandler"/>, for what HTTP has no header field, and
/// what the handler leaves there.
/// </summary>
public static class CoapHttpRequestOptions
{
    /// <summary>Whether the request is sent Confirmable (RFC 7252 section 4.2). Default true.</summary>
    public static HttpRequestOptionsKey<bool> Confirmable => new("CoAP.NET.Confirmable");

    /// <summary>The block size to propose, in bytes; see <see cref="CoapRequest.BlockSize"/>. Default: what the client prefers.</summary>
    public static HttpRequestOptionsKey<int> BlockSize => new("CoAP.NET.BlockSize");

    /// <summary>The Hop-Limit of the request (RFC 8768), 1 to 255. Default: none is sent.</summary>
    public static HttpRequestOptionsKey<int> HopLimit => new("CoAP.NET.HopLimit");

    /// <summary>Set by the handler: the response of the CoAP server. Its body is the content of the HTTP response.</summary>
    public static HttpRequestOptionsKey<CoapResponse> Response => new("CoAP.NET.Response");

    /// <summary>The response of the CoAP server that an HTTP response was made of.</summary>
    /// <param name="response">The response.</param>
    /// <returns>Code and options; the body is the content of <paramref name="response"/>. Null if no CoAP server answered.</returns>
    public static CoapResponse? GetCoapResponse(this HttpResponseMessage response)
    {
        ArgumentNullException.ThrowIfNull(response);
        return response.RequestMessage is { } request && request.Options.TryGetValue(Response, out CoapResponse? coap) ? coap : null;
    }
}
