namespace CoAP.NET;

/// <summary>Handles a request: a handler, or the rest of the pipeline before it, as a filter sees it.</summary>
/// <param name="request">The request.</param>
/// <param name="cancellationToken">Cancelled when the response is no longer needed.</param>
/// <returns>The response.</returns>
public delegate ValueTask<CoapResult> CoapHandler(CoapRequestContext request, CancellationToken cancellationToken);
