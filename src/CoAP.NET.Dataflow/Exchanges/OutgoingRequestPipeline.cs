namespace CoAP.NET.Exchanges;

/// <summary>The steps of an endpoint in their order, and the sender after the last one.</summary>
internal sealed class OutgoingRequestPipeline
{
    private readonly OutgoingRequestStep[] _steps;

    /// <summary>Creates the chain. A step belongs to one chain.</summary>
    /// <param name="sender">Sends the messages.</param>
    /// <param name="steps">The steps; the first is nearest to the caller.</param>
    public OutgoingRequestPipeline(RequestSender sender, params ReadOnlySpan<OutgoingRequestStep> steps)
    {
        Sender = sender;
        _steps = steps.ToArray();
        for (int i = 0; i < _steps.Length; i++)
        {
            _steps[i].Join(this, i);
        }
    }

    public RequestSender Sender { get; }

    /// <summary>The steps; the first is nearest to the caller.</summary>
    public ReadOnlySpan<OutgoingRequestStep> Steps => _steps;

    /// <summary>Sends a request through the steps.</summary>
    /// <param name="request">The request.</param>
    /// <param name="first">The place of the first step that handles it; steps above do not.</param>
    /// <returns>The response, which may be an error response.</returns>
    /// <exception cref="CoapException">No response arrived.</exception>
    public Task<CoapResponse> SendAsync(OutgoingRequest request, int first = 0) => OutgoingRequestRun.SendAsync(this, request, first);
}
