namespace CoAP.NET.Hosting;

/// <summary>
/// A handler between a client and its endpoint: it receives each request and its response, for example to log, to add authorization, or to
/// answer from elsewhere.
/// </summary>
/// <remarks>
/// One instance serves all requests of a client, several at a time. Observations do not pass handlers, because the endpoint repeats their
/// requests itself.
/// </remarks>
public interface ICoapClientHandler
{
    /// <summary>Handles a request.</summary>
    /// <param name="request">The request, with its absolute URI. It is a copy, which the handler may modify.</param>
    /// <param name="next">Passes it on; the handler may call it repeatedly, or not at all.</param>
    /// <param name="cancellationToken">Cancelled when the caller no longer waits for the response.</param>
    /// <returns>The response.</returns>
    Task<CoapResponse> SendAsync(
        CoapRequest request, Func<CoapRequest, CancellationToken, Task<CoapResponse>> next, CancellationToken cancellationToken);
}
