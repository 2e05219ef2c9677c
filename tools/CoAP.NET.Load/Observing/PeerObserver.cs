using System.Globalization;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Observing;

/// <summary>The observation of one peer: registers, and checks the notifications.</summary>
/// <param name="plan">The plan.</param>
/// <param name="peer">The observer.</param>
/// <param name="check">Checks notifications; shared by all.</param>
/// <param name="figures">The counters.</param>
internal sealed class PeerObserver(LoadPlan plan, ObservingPeer peer, AnswerCheck check, ObserveFigures figures)
{
    private CoapObservation? _observation;
    private bool _isObserving;
    private long _highest = -1;
    private long _current = -1;

    // Earlier messages, above all the answer to the registration, are not notifications.
    private bool IsRegistered => Volatile.Read(ref _isObserving);

    /// <summary>Whether it is registered, and last received that number or a newer one.</summary>
    public bool Has(long number) => _observation is not null && Volatile.Read(ref _current) >= number;

    /// <summary>Reads the number from a resource's state.</summary>
    public static long? NumberOf(CoapResponse response) =>
        long.TryParse(response.Payload.Span, NumberStyles.None, CultureInfo.InvariantCulture, out long number) && number < long.MaxValue / 2
            ? number
            : null;

    public async Task RegisterAsync(CancellationToken cancellationToken)
    {
        try
        {
            CoapRequest request = peer.NewRequest();
            request.Timeout ??= TimeSpan.FromSeconds(plan.TimeoutSeconds);
            CoapObservation observation = await peer.Observer.ObserveAsync(request,
                new CoapObservationOptions { OnNotification = OnNotification }, cancellationToken).ConfigureAwait(false);
            if (observation.State == CoapObserveState.Observing)
            {
                _observation = observation;
                Volatile.Write(ref _isObserving, true);
                figures.AddObserver();
                observation.StateChanged += OnStateChanged;
                return;
            }

            // It would keep trying. An observer that registers later than the others has missed part of the measurement.
            figures.AddError("register: " + (observation.Error is { } error ? FailureNames.Of(error) : "not observable"));
            await observation.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is CoapException or ArgumentException)
        {
            figures.AddError("register: " + FailureNames.Of(exception));
        }
    }

    /// <summary>Ends the observation.</summary>
    /// <param name="waits">
    /// Whether to wait for the answer to a later request, because nothing else shows that the server has removed a registration.
    /// </param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task EndAsync(bool waits, CancellationToken cancellationToken)
    {
        if (_observation is not { } observation)
        {
            return;
        }

        observation.StateChanged -= OnStateChanged;
        await observation.DisposeAsync().ConfigureAwait(false);
        if (!waits)
        {
            return;
        }

        try
        {
            CoapRequest request = peer.NewRequest();
            request.Confirmable = true;
            request.Timeout ??= TimeSpan.FromSeconds(plan.TimeoutSeconds);
            await peer.Observer.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // A stopped server has no registration either.
        }
    }

    private void OnNotification(CoapResponse response)
    {
        long now = MonotonicTimestamp.Now;
        if (!response.IsSuccess)
        {
            // RegisterAsync checks the answer to the registration.
            if (_observation is not null)
            {
                figures.AddError(FailureNames.Of(response.Code));
            }
        }
        else if (plan.Rate > 0)
        {
            OnNumbered(response, now);
        }
        else if (check.FaultOf(response) is { } fault)
        {
            figures.AddError(fault);
        }
        else if (IsRegistered)
        {
            figures.AddNotification();
        }
    }

    private void OnNumbered(CoapResponse response, long now)
    {
        if (NumberOf(response) is not { } number)
        {
            figures.AddUnnumbered();
            return;
        }

        bool isBack = number < _current;
        Volatile.Write(ref _current, number);
        if (isBack)
        {
            figures.AddError(FailureNames.OutOfOrder);
        }
        else if (IsRegistered)
        {
            figures.AddNotification(_highest, number, now);
        }

        _highest = Math.Max(_highest, number);
    }

    // The handler of error responses counts those.
    private void OnStateChanged(object? sender, CoapObserveState state)
    {
        if (state == CoapObserveState.NotObserving)
        {
            figures.AddError("no longer observable");
        }
        else if (state is CoapObserveState.Reregistering or CoapObserveState.Stale or CoapObserveState.Failed
            && _observation?.Error is { } error and not CoapResponseException)
        {
            figures.AddError("registration lost: " + FailureNames.Of(error));
        }

        Volatile.Write(ref _isObserving, state is CoapObserveState.Observing or CoapObserveState.Stale);
    }
}
