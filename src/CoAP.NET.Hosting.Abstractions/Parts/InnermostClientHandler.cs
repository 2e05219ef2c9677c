namespace CoAP.NET.Hosting.Parts;

/// <summary>A handler that the requests of a hosted client pass last, after the other handlers and before the endpoint.</summary>
internal abstract class InnermostClientHandler
{
    /// <summary>Sends a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="send">Sends it. It must not modify it, because it may run twice.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public abstract Task<CoapResponse> SendAsync(
        CoapRequest request, Func<Task<CoapResponse>> send, CancellationToken cancellationToken);

    /// <summary>Observes a resource.</summary>
    /// <param name="request">The request to observe.</param>
    /// <param name="observe">Observes. It must not modify the request, because it may run twice.</param>
    /// <param name="cancellationToken">Cancels the wait for the first response.</param>
    public abstract Task<CoapObservation> ObserveAsync(
        CoapRequest request, Func<Task<CoapObservation>> observe, CancellationToken cancellationToken);
}
