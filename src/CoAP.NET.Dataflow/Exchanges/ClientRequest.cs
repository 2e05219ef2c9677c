using CoAP.NET.Channels;

namespace CoAP.NET.Exchanges;

/// <summary>A request of ours that waits for its response (RFC 7252 section 5).</summary>
internal sealed class ClientRequest : PendingRequest
{
    public ClientRequest(ExchangeLayer layer, CoapChannel channel, CoapMessage message, TimeSpan? timeout)
        : base(layer, channel, message, timeout)
    {
    }

    /// <summary>Whether a response of some class is wanted (RFC 7967); otherwise the request is done when it was acknowledged, or sent.</summary>
    public bool WantsResponse => !Transmission.TellsWhenSent;

    /// <summary>Ends with the response or a <see cref="CoapException"/>. Continuations of users never run on the thread that completes it.</summary>
    public TaskCompletionSource<CoapResponse> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public override bool IsCompleted => Completion.Task.IsCompleted;

    public void Complete(CoapResponse response)
    {
        Completion.TrySetResult(response);
        StopWatchingCancellation();
    }

    protected override void SetException(Exception exception) => Completion.TrySetException(exception);

    protected override void SetCanceled(CancellationToken cancellationToken) => Completion.TrySetCanceled(cancellationToken);
}
