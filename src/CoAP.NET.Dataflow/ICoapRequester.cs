namespace CoAP.NET;

/// <summary>
/// Something that sends requests: a <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/>, or a <see cref="CoapPeer"/>. The methods of
/// <see cref="CoapRequests"/> work on each.
/// </summary>
public interface ICoapRequester
{
    /// <summary>Sends a request and waits for the response.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting; no further copies are sent.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came; the derived type says why.</exception>
    Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default);
}
