using CoAP.NET.Requests;

namespace CoAP.NET.Observing;

/// <summary>
/// Fetches the rest of a large notification (RFC 7959 section 2.6): the notification carries the first block; separate requests fetch the
/// rest. A newer notification restarts the fetch, so that no representation is assembled from two. Belongs to the thread that is busy with
/// the observation.
/// </summary>
#pragma warning disable CA1001 // the token source is disposed with the fetch, which ends with the observation at the latest
internal sealed class BodyFetch(ClientObservation observation, ObservationPort port)
#pragma warning restore CA1001
{
    private CancellationTokenSource? _fetch;
    private int _number;

    public bool IsUnderWay => _fetch is not null;

    /// <summary>Starts a fetch, and replaces a running one.</summary>
    /// <param name="first">The notification; null if there is no first block.</param>
    /// <param name="request">The request of the fetch: that of the registration without Observe.</param>
    public void Begin(CoapResponse? first, OutgoingRequest request)
    {
        Cancel();
        _fetch = new CancellationTokenSource();
        _ = AwaitAsync(first, request, _number, _fetch.Token);
    }

    /// <summary>Returns whether an event belongs to the running fetch.</summary>
    public bool IsCurrent(in ObservationEvent happened) => IsUnderWay && happened.Number == _number;

    public void Cancel()
    {
        _number++;
        if (_fetch is { } fetch)
        {
            _fetch = null;
            fetch.Cancel();
            fetch.Dispose();
        }
    }

    private async Task AwaitAsync(CoapResponse? first, OutgoingRequest request, int number, CancellationToken cancellationToken)
    {
        CoapResponse? response = null;
        CoapException? error = null;
        try
        {
            response = await port.CompleteAsync(first, request, cancellationToken).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the observation continues after any error
        catch (Exception exception)
#pragma warning restore CA1031
        {
            error = exception as CoapException
                ?? new CoapException($"The rest of a notification of {observation.Target} could not be fetched: {exception.Message}",
                    exception);
        }

        observation.Post(new ObservationEvent { Kind = ObservationEventKind.Body, Number = number, Response = response, Error = error });
    }
}
