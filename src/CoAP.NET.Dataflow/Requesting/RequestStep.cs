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

    /// <summary>Whether the step has something to do before the request is sent. If not, <see cref="PlainStep"/> may send it and ask <see cref="Concerns"/> of the response. Changes nothing.</summary>
    /// <param name="request">The request.</param>
    public virtual bool MustSend(OutgoingRequest request) => true;

    /// <summary>Whether the step has something to do about the response to a request that it let pass.</summary>
    /// <param name="request">The request.</param>
    /// <param name="response">The response.</param>
    public virtual bool Concerns(OutgoingRequest request, CoapResponse response) => false;

    /// <summary>Does what is to be done about a response that concerns the step.</summary>
    /// <param name="request">The request, which was sent.</param>
    /// <param name="response">Its response.</param>
    /// <param name="cancellationToken">Stops it; no further messages are sent.</param>
    /// <returns>The response in the end.</returns>
    public virtual Task<CoapResponse> CompleteAsync(OutgoingRequest request, CoapResponse response, CancellationToken cancellationToken) => Task.FromResult(response);
}
