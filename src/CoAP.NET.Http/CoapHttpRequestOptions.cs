namespace CoAP.NET.Http;

/// <summary>
/// The keys of <see cref="HttpRequestMessage.Options"/> that <see cref="CoapHttpMessageHandler"/> reads and sets, for settings without an
/// HTTP header field.
/// </summary>
public static class CoapHttpRequestOptions
{
    /// <summary>Whether the request is sent Confirmable (RFC 7252 section 4.2). Default true.</summary>
    public static HttpRequestOptionsKey<bool> Confirmable => new("CoAP.NET.Confirmable");

    /// <summary>
    /// The proposed block size, in bytes; see <see cref="CoapRequest.BlockSize"/>. Default: the preference of the client.
    /// </summary>
    public static HttpRequestOptionsKey<int> BlockSize => new("CoAP.NET.BlockSize");

    /// <summary>The Hop-Limit of the request (RFC 8768), 1 to 255. Default: the request has none.</summary>
    internal static HttpRequestOptionsKey<int> HopLimit => new("CoAP.NET.HopLimit");

    /// <summary>The client for which a proxy sends the request; see <see cref="CoapRequest.OnBehalfOf"/>. Default: the caller.</summary>
    internal static HttpRequestOptionsKey<CoapQuotaSource> OnBehalfOf => new("CoAP.NET.OnBehalfOf");

    /// <summary>Set by the handler: the response of the CoAP server. Its body is the content of the HTTP response.</summary>
    internal static HttpRequestOptionsKey<CoapResponse> Response => new("CoAP.NET.Response");

    /// <summary>Returns the CoAP response behind an HTTP response.</summary>
    /// <param name="response">The response.</param>
    /// <returns>Code and options; the body is the content of <paramref name="response"/>. Null if the response does not come from a CoAP
    /// server.</returns>
    public static CoapResponse? GetCoapResponse(this HttpResponseMessage response)
    {
        ArgumentNullException.ThrowIfNull(response);
        return response.RequestMessage is { } request && request.Options.TryGetValue(Response, out CoapResponse? coap) ? coap : null;
    }
}
