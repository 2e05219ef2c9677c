namespace CoAP.NET.Requesting;

/// <summary>
/// One thing that is done for a request between the caller and the single exchange of messages: caching, block-wise transfer, answering a challenge.
/// A step passes on what does not concern it without awaiting. Runs on the caller's thread and on those that complete exchanges, never under a lock.
/// </summary>
internal abstract class RequestStep
{
    /// <summary>The step below; the last one sends.</summary>
    public RequestStep Next { get; set; } = null!;

    /// <summary>Sends the request and gives the response.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops it; no further messages are sent.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came.</exception>
    public abstract Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken);
}
