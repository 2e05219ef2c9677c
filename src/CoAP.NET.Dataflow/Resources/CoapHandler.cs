namespace CoAP.NET;

/// <summary>Answers a request: a handler, or all that is left of the way to it, as a filter sees it.</summary>
/// <param name="request">The request.</param>
/// <param name="cancellationToken">Cancelled when nobody waits for the answer any more.</param>
/// <returns>The answer.</returns>
public delegate ValueTask<CoapResult> CoapHandler(CoapRequest request, CancellationToken cancellationToken);
