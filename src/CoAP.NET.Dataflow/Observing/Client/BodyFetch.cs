using CoAP.NET.Requests;

namespace CoAP.NET.Observing;

/// <summary>
/// Fetches what a notification leaves out (RFC 7959 section 2.6): it carries the first block; the rest is fetched by requests of their own.
/// A notification that comes meanwhile begins anew, so that no
/// representation is put together of two. Belongs to whoever is busy with the observation.
/// </summary>
#pragma warning disable CA1001 // what stops a fetch is disposed with the fetch, which ends with the observation at the latest
internal sealed class BodyFetch(ClientObservation observation, ObservationPort port)
#pragma warning restore CA1001
{
    private CancellationTokenSource? _fetch;
    private int _number;

    public bool IsUnderWay => _fetch is not null;

    /// <summary>Begins a fetch, in the place of one that is under way.</summary>
    /// <param name="first">The notification; null when there is nothing to go on from.</param>
    /// <param name="request">The request for it: that of the registration without Observe.</param>
    public void Begin(CoapResponse? first, OutgoingRequest request)
    {
        Cancel();
        _fetch = new CancellationTokenSource();
        _ = AwaitAsync(first, request, _number, _fetch.Token);
    }

    /// <summary>Whether an event is about the fetch that is under way.</summary>
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
#pragma warning disable CA1031 // whatever goes wrong, the observation goes on
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
