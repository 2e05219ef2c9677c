namespace CoAP.NET.Requests;

/// <summary>
/// One thing that is done for a request between the caller and the exchange of messages: caching, block-wise transfer, answering a
/// challenge. It says what is to be done before the request is sent and after the response came; <see cref="RequestRun"/> does it. Steps
/// are shared by all requests of an endpoint: what one must remember of a request stands in the <see cref="OutgoingRequest"/>. Called on
/// the caller's thread and on those that complete exchanges, never under a lock; must not block.
/// </summary>
internal abstract class RequestStep
{
    private RequestChain? _chain;

    /// <summary>The place in the chain; the step nearest to the caller is 0.</summary>
    public int Position { get; private set; }

    /// <summary>The request is about to be sent.</summary>
    /// <param name="request">The request. Belongs to this run; its message may be changed.</param>
    /// <returns>Go, Watch, Done or Wait; what is waited for ends with one of these.</returns>
    public virtual StepOutcome Before(OutgoingRequest request) => StepOutcome.Go;

    /// <summary>A response came from the steps below.</summary>
    /// <param name="request">The request as <see cref="Before"/> had it.</param>
    /// <param name="sent">The request as the step sent it last; the same object where it changed nothing.</param>
    /// <param name="response">The response.</param>
    /// <returns>Done, Again or Wait; what is waited for ends with one of these.</returns>
    public virtual StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response) => StepOutcome.Done(response);

    /// <summary>No response came from the steps below. Only certain to be called where the step answered Watch.</summary>
    /// <param name="request">The request as <see cref="Before"/> had it.</param>
    /// <param name="sent">The request as the step sent it last; the same object where it changed nothing.</param>
    /// <param name="exception">Why.</param>
    /// <returns>Fail, Again or Wait; what is waited for ends with one of these.</returns>
    public virtual StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception) => StepOutcome.Fail(exception);

    /// <summary>Sends a message of a conversation of the step through the steps below.</summary>
    /// <param name="request">The request with that message.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapException">No response came.</exception>
    public Task<CoapResponse> SendBelowAsync(OutgoingRequest request) => _chain!.SendAsync(request, Position + 1);

    /// <summary>Gives the step its place. Called once.</summary>
    internal void Join(RequestChain chain, int position)
    {
        _chain = chain;
        Position = position;
    }
}
