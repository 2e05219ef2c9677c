namespace CoAP.NET.Hosting;

/// <summary>
/// Stands between a client and its endpoint: sees each request and its response, such as to log, to add what authorizes it, or to answer
/// from elsewhere. One object serves all requests of a client, several at a time. Observations do not pass: what they send again by
/// themselves is the endpoint's matter.
/// </summary>
public interface ICoapClientHandler
{
    /// <summary>Handles a request.</summary>
    /// <param name="request">The request, with its absolute URI. It is a copy that may be changed.</param>
    /// <param name="next">Sends it on; may be called again, or not at all.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the response any more.</param>
    /// <returns>The response.</returns>
    Task<CoapResponse> SendAsync(CoapRequest request, CoapClientStep next, CancellationToken cancellationToken);
}
