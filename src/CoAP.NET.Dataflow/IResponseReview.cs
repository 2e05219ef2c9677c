namespace CoAP.NET;

/// <summary>Looks at the response to a request before whoever waits for it is told: mostly there is nothing to do, and nobody had to wait for that.</summary>
internal interface IResponseReview
{
    /// <summary>Whether something is to be done about a response before it is given on.</summary>
    bool Concerns(CoapResponse response);

    /// <summary>Does it.</summary>
    /// <returns>The response in the end.</returns>
    Task<CoapResponse> CompleteAsync(CoapResponse response, CancellationToken cancellationToken);
}
