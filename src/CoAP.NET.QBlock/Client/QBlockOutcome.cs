namespace CoAP.NET.QBlock.Client;

/// <summary>How a <see cref="QBlockExchange"/> ended; reported to the caller after the lock was released.</summary>
internal sealed class QBlockOutcome
{
    private readonly CoapResponse? _response;
    private readonly Exception? _error;
    private readonly CancellationToken _cancelledBy;

    /// <summary>It has a response; null: the request must go another way.</summary>
    public QBlockOutcome(CoapResponse? response) => _response = response;

    public QBlockOutcome(Exception error) => _error = error;

    public QBlockOutcome(CancellationToken cancelledBy) => _cancelledBy = cancelledBy;

    public void Report(TaskCompletionSource<CoapResponse?> completion)
    {
        if (_cancelledBy.IsCancellationRequested)
        {
            completion.TrySetCanceled(_cancelledBy);
        }
        else if (_error is not null)
        {
            completion.TrySetException(_error);
        }
        else
        {
            completion.TrySetResult(_response);
        }
    }
}
