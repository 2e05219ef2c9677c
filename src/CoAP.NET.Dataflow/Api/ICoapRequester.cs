namespace CoAP.NET;

/// <summary>Sends requests: a <see cref="CoapClient"/>, a <see cref="CoapEndpoint"/>, or a <see cref="CoapPeer"/>.</summary>
/// <remarks>The methods of <see cref="CoapRequests"/> work on each.</remarks>
public interface ICoapRequester
{
    /// <summary>Sends a request and waits for the response.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived; the derived type says why.</exception>
    Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default);
}
