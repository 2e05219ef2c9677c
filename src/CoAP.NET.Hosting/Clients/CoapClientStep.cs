namespace CoAP.NET.Hosting;

/// <summary>Passes a request on: to the next <see cref="ICoapClientHandler"/>, or to the endpoint.</summary>
/// <param name="request">The request.</param>
/// <param name="cancellationToken">Cancels the wait.</param>
/// <returns>The response.</returns>
public delegate Task<CoapResponse> CoapClientStep(CoapRequest request, CancellationToken cancellationToken);
