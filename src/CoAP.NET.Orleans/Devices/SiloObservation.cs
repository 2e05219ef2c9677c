using CoAP.NET.Cluster;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>
/// An observation of a resource that follows the device from silo to silo. The silo of the device observes it, and this one polls that
/// silo, so a slow reader skips states and a dead one costs nothing. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // the sources have neither timers nor handles
internal sealed class SiloObservation : CoapObservationRelay
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(250);

    private readonly SiloDevices _devices;
    private readonly ObservedResource _resource;
    private readonly byte[] _bytes;
    private readonly CoapReregistration _rule;
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public SiloObservation(SiloDevices devices, ObservedResource resource, CoapObserveOptions? options)
        : base($"a resource of the device '{CoapForeignText.LineOf(resource.Device)}'", options, devices.Logger)
    {
        (_devices, _resource, _bytes) = (devices, resource, DeviceBytes.Of(resource.ToNode()));
        _rule = options?.Reregistration ?? CoapReregistration.Auto;
    }

    /// <summary>Starts the observation.</summary>
    /// <param name="cancellationToken">Stops waiting, and ends it.</param>
    /// <returns>The observation, once the device has answered.</returns>
    /// <exception cref="CoapDeviceException">The device did not answer.</exception>
    public async Task<CoapObservation> BeginAsync(CancellationToken cancellationToken)
    {
        _ = RunAsync();
        try
        {
            await _first.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            return Observation;
        }
        catch
        {
            await Observation.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    protected override async Task<CoapResponse> RefreshAsync()
    {
        CoapResponse response = await _devices.SendAsync(_resource.Device, _resource.Key, _resource.ToDevice(), _stop.Token)
            .ConfigureAwait(false);
        Publish(Observation.State, response, Observation.Error);
        return response;
    }

    protected override void OnEnded()
    {
        if (!_stop.IsCancellationRequested)
        {
            _ = _stop.CancelAsync();
            _devices.OnObservationEnded(_resource.Device);
        }
    }

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        SiloAddress? wrong = null;
        for (int failures = 0; !_stop.IsCancellationRequested;)
        {
            CoapException? failure;
            SiloAddress? place = null;
            bool hasAnswered = false;
            long number = _devices.NextNumber();
            try
            {
                place = await _devices.LocateAsync(_resource.Device, _resource.Key, wrong, _stop.Token).ConfigureAwait(false);
                (failure, hasAnswered) = await FollowAsync(place, number).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // no caller waits for it: an observation survives the end of a silo, and unexpected failures
            catch (Exception exception)
#pragma warning restore CA1031
            {
                failure = exception as CoapException ?? new CoapDeviceUnreachableException(
                    _resource.Device, $"silo {place}, which has its session, did not answer. {exception.Message}", false, exception);
            }

            if (place is not null)
            {
                _devices.EndAt(place, number);
                _devices.Forget(_resource.Device, place);
            }

            if (_stop.IsCancellationRequested)
            {
                return;
            }

            // A silo without the device. The next one is asked at once, the first time.
            wrong = failure is null ? place : null;
            failures = hasAnswered || (failure is null && failures == 0) ? 0 : failures + 1;
            if (_first.Task.IsCompleted ? !_rule.IsEnabled : failure is not null)
            {
                failure ??= new CoapDeviceUnreachableException(_resource.Device, "its session moved to another silo, or has ended.");
                _first.TrySetException(failure);
                Publish(CoapObserveState.Failed, null, failure, isOver: true);
                return;
            }

            if (_first.Task.IsCompleted)
            {
                Publish(CoapObserveState.Reregistering, null, failure);
            }

            await PauseAsync(failure, failures).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // Returns when the silo no longer observes; without a failure if it does not have the device.
    private async Task<(CoapException? Failure, bool HasAnswered)> FollowAsync(SiloAddress place, long number)
    {
        bool hasAnswered = false;
        CoapException? failure = null;
        for (byte[] resource = _bytes; ; resource = [])
        {
            // Only the first call begins something: a later one that arrives after the end must not.
            (byte code, byte[]? answer) =
                await _devices.ObserveAtAsync(place, number, resource, _stop.Token).ConfigureAwait(false);
            CoapObserveState state = (CoapObserveState)code;
            CoapResponse? response = answer is null ? null : DeviceBytes.ResponseOf(answer);
            if (response is not null && DeviceWire.IsFailure(response))
            {
                failure = DeviceWire.FailureOf(response, _resource.Device);
                if (failure is null || state == CoapObserveState.Failed || !_first.Task.IsCompleted || !_rule.IsEnabled)
                {
                    return (failure, hasAnswered);
                }

                response = null;
            }
            else if (response is not null)
            {
                failure = null;
                hasAnswered |= response.IsSuccess;
            }

            if (state is CoapObserveState.Failed or CoapObserveState.Cancelled)
            {
                failure ??= new CoapDeviceException(_resource.Device, "The observation ended at the silo of the device.");
                return (failure, hasAnswered);
            }

            if (response is not null || state != Observation.State)
            {
                Publish(state, response, state == CoapObserveState.Observing ? null : failure);
            }

            if (response is not null)
            {
                _first.TrySetResult();
            }
        }
    }

    // Many may wait for the same silo and must not ask it at the same time.
    private async Task PauseAsync(CoapException? failure, int failures)
    {
        TimeSpan pause = s_shortest * (1 << Math.Min(failures, 20)) * (0.5 + _devices.Random.NextDouble());
        pause = pause < _rule.MaximumBackOff ? pause : _rule.MaximumBackOff;
        await Task.Delay(pause, _devices.Time, _stop.Token).ConfigureAwait(false);
        if (failure is CoapDeviceAsleepException or CoapDeviceUnknownException)
        {
            await _devices.WhenAwakeAsync(_resource.Device, _resource.Key, _stop.Token).ConfigureAwait(false);
        }
    }
}
