namespace CoAP.NET.Exchanges;

/// <summary>
/// One step of a request between the caller and the exchange of messages: caching, block-wise transfer, or a response to a challenge. It
/// decides what to do before the request is sent and after the response arrived; <see cref="OutgoingRequestRun"/> does it. All requests of
/// an endpoint share the steps, so their state of a request is in the <see cref="OutgoingRequest"/>. Called on the caller's thread and on
/// threads that complete exchanges, never under a lock; must not block.
/// </summary>
internal abstract class OutgoingRequestStep
{
    private OutgoingRequestPipeline? _chain;

    /// <summary>The place in the chain; the step nearest to the caller is 0.</summary>
    public int Position { get; private set; }

    /// <summary>Called before the request is sent.</summary>
    /// <param name="request">The request. It belongs to this run; the step may change its message.</param>
    /// <returns>Go, Watch, Done or Wait; the awaited task returns one of these.</returns>
    public virtual StepOutcome Before(OutgoingRequest request) => StepOutcome.Go;

    /// <summary>Called when a response arrived from the steps below.</summary>
    /// <param name="request">The request that <see cref="Before"/> received.</param>
    /// <param name="sent">The request as the step sent it last; the same object if it changed nothing.</param>
    /// <param name="response">The response.</param>
    /// <returns>Done, Again or Wait; the awaited task returns one of these.</returns>
    public virtual StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response) => StepOutcome.Done(response);

    /// <summary>Called when the steps below returned no response; guaranteed only if the step returned Watch.</summary>
    /// <param name="request">The request that <see cref="Before"/> received.</param>
    /// <param name="sent">The request as the step sent it last; the same object if it changed nothing.</param>
    /// <param name="exception">The reason.</param>
    /// <returns>Fail, Again or Wait; the awaited task returns one of these.</returns>
    public virtual StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception) => StepOutcome.Fail(exception);

    /// <summary>Sends a message of a conversation of the step through the steps below.</summary>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived.</exception>
    public Task<CoapResponse> SendBelowAsync(OutgoingRequest request) => _chain!.SendAsync(request, Position + 1);

    /// <summary>Sets the place of the step. Called once.</summary>
    internal void Join(OutgoingRequestPipeline chain, int position)
    {
        _chain = chain;
        Position = position;
    }
}
