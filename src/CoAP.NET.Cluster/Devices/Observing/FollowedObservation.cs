using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// An observation of a resource that follows the device: at this node by its session, at another one over the link. When the device moves,
/// its node dies or it ends the registration, it is found and observed again. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // the sources have neither timers nor handles
internal sealed class FollowedObservation : CoapObservationRelay
#pragma warning restore CA1001
{
    private const int Looks = 8;
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_afterAnswer = TimeSpan.FromSeconds(5);

    private readonly ClusterDevices _devices;
    private readonly DeviceObservers _all;
    private readonly ObservedResource _resource;
    private readonly CoapReregistration _rule;
    private readonly TimeProvider _time;
    private readonly CoapRandomSource _random;
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationTokenSource _pause = new();
    private CoapObservation? _current;
    private long _registeredAt;
    private bool _isNowhere;

    public FollowedObservation(ClusterDevices devices, DeviceObservers all, ObservedResource resource, CoapObserveOptions? options,
        TimeProvider time, CoapRandomSource random, ILogger logger)
        : base($"a resource of the device '{CoapForeignText.LineOf(resource.Device)}'", options, logger)
    {
        (_devices, _all, _resource, _time, _random) = (devices, all, resource, time, random);
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

    /// <summary>Ends it because the cluster ends.</summary>
    public void Stop()
    {
        CoapException error = new("The node has left the cluster and no longer observes devices.");
        _first.TrySetException(error);
        Publish(CoapObserveState.Failed, null, error, isOver: true);
        OnEnded();
    }

    protected override async Task<CoapResponse> RefreshAsync()
    {
        if (Volatile.Read(ref _current) is { } here)
        {
            return await here.RefreshAsync(_stop.Token).ConfigureAwait(false);
        }

        CoapResponse response = await _devices.SendAsync(_resource.Device, _resource.Key, _resource.ToDevice(), _stop.Token)
            .ConfigureAwait(false);
        await Volatile.Read(ref _pause).CancelAsync().ConfigureAwait(false);
        return response;
    }

    protected override void OnEnded()
    {
        _all.Remove(this);
        _ = _stop.CancelAsync();
    }

    /// <summary>The observed device.</summary>
    public string Device => _resource.Device;

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        bool wasThere = _devices.Nodes.Knows(_resource.Device);
        int failures = 0;
        while (!_stop.IsCancellationRequested)
        {
            CoapException? failure;
            bool hasAnswered = false;
            try
            {
                (failure, hasAnswered) = await ObserveOnceAsync().ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                break;
            }
            catch (CoapException exception)
            {
                failure = exception;
            }
#pragma warning disable CA1031 // no caller waits for it: an observation must survive unexpected failures
            catch (Exception exception)
#pragma warning restore CA1031
            {
                failure = new CoapDeviceException(_resource.Device, $"The observation failed: {exception.Message}", exception);
            }

            failures = hasAnswered ? 0 : failures + 1;
            if (!_first.Task.IsCompleted && (!_isNowhere || !wasThere || failures >= Looks) && failure is not null)
            {
                _first.TrySetException(failure);
                Publish(CoapObserveState.Failed, null, failure, isOver: true);
                return;
            }

            if (!_rule.IsEnabled && _first.Task.IsCompleted)
            {
                Publish(CoapObserveState.Failed, null, failure, isOver: true);
                return;
            }

            if (_first.Task.IsCompleted && failure is not PlainAnswer)
            {
                Publish(CoapObserveState.Reregistering, null, failure);
            }

            await PauseAsync(failure, failures).ConfigureAwait(false);
        }
    }

    // Returns when the device has left, or no longer notifies.
    private async Task<(CoapException? Failure, bool HasAnswered)> ObserveOnceAsync()
    {
        _registeredAt = _time.GetTimestamp();
        _isNowhere = false;
        if (_devices.Local.TryFind(_resource.Device) is { } device)
        {
            CoapObservation here = await device.ObserveAsync(
                _resource.ToDevice(), new CoapObserveOptions { Reregistration = _rule }, _stop.Token).ConfigureAwait(false);
            if (here.Latest is null && !_first.Task.IsCompleted)
            {
                await here.DisposeAsync().ConfigureAwait(false);
                return (device.FailureOf(here.Error ?? new CoapException("The device does not answer.")), false);
            }

            Volatile.Write(ref _current, here);
            try
            {
                return await PassOnAsync(here, device, default).ConfigureAwait(false);
            }
            finally
            {
                Volatile.Write(ref _current, null);
            }
        }

        if (await _devices.Nodes.FindAsync(_resource.Device, _resource.Key, _stop.Token).ConfigureAwait(false) is not { } found)
        {
            return (await NowhereAsync().ConfigureAwait(false), false);
        }

        CoapObservation there;
        try
        {
            there = await _devices.Nodes.ObserveAsync(found.Node, _resource.ToNode(), _stop.Token).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            return (DeviceFailure.AtNode(exception, _resource.Device, found.Node), false);
        }

        return await PassOnAsync(there, null, found.Node).ConfigureAwait(false);
    }

    private async Task<(CoapException? Failure, bool HasAnswered)> PassOnAsync(
        CoapObservation current, LocalDevice? device, CoapNodeId node)
    {
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, device?.Gone ?? default);
        void OnState(object? sender, CoapObserveState state) => PassOn(current, null, device);
        bool hasAnswered = false;
        bool isPlain = false;
        try
        {
            current.StateChanged += OnState;
            await foreach (CoapResponse response in current.ReadAllAsync(end.Token).ConfigureAwait(false))
            {
                if (device is null && DeviceWire.IsFailure(response))
                {
                    return (DeviceWire.FailureOf(response, _resource.Device)
                        ?? await NowhereAsync().ConfigureAwait(false), hasAnswered);
                }

                hasAnswered |= response.IsSuccess;
                isPlain = current.State == CoapObserveState.NotObserving;
                PassOn(current, response, device);
                _first.TrySetResult();
            }

            return (isPlain ? new PlainAnswer(current.Latest!.MaxAge) : null, hasAnswered);
        }
        catch (OperationCanceledException) when (!_stop.IsCancellationRequested)
        {
            // The device has left; a message in this session would not reach it.
            current.Leave();
            return (null, hasAnswered);
        }
        catch (CoapException exception)
        {
            return (device is null && exception is not CoapResponseException
                ? DeviceFailure.AtNode(exception, _resource.Device, node)
                : exception, hasAnswered);
        }
        finally
        {
            current.StateChanged -= OnState;
            await current.DisposeAsync().ConfigureAwait(false);
        }
    }

    // A device that was available a moment ago may just be moving.
    private async Task<CoapException> NowhereAsync()
    {
        _isNowhere = true;
        return await _devices.FailureAsync(_resource.Device, _resource.Key, _stop.Token).ConfigureAwait(false);
    }

    // The end of an inner observation is not the end of this one.
    private void PassOn(CoapObservation current, CoapResponse? response, LocalDevice? device)
    {
        CoapObserveState state = current.State;
        if (state != CoapObserveState.Cancelled && (response is not null || (device is not null && state != CoapObserveState.Failed)))
        {
            Publish(state == CoapObserveState.Failed ? CoapObserveState.Reregistering : state, response, current.Error);
        }
    }

    // Many may wait for the same node and must not ask it at the same time.
    private async Task PauseAsync(CoapException? failure, int failures)
    {
        failures = _first.Task.IsCompleted ? failures : 0;
        TimeSpan pause = s_shortest * (1 << Math.Min(failures, 20)) * (0.5 + _random.NextDouble());
        pause = pause < _rule.MaximumBackOff ? pause : _rule.MaximumBackOff;
        TimeSpan least = failure switch
        {
            PlainAnswer plain => plain.MaxAge > s_afterAnswer ? plain.MaxAge : s_afterAnswer,
            CoapResponseException => s_afterAnswer,
            _ => _rule.MinimumInterval - _time.GetElapsedTime(_registeredAt),
        };
        CancellationTokenSource wake = new();
        Volatile.Write(ref _pause, wake);
        using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, wake.Token);
        try
        {
            await Task.Delay(pause > least ? pause : least, _time, both.Token).ConfigureAwait(false);
            if (failure is CoapDeviceAsleepException or CoapDeviceUnknownException && _first.Task.IsCompleted)
            {
                await _devices.WhenAwakeAsync(_resource.Device, _resource.Key, both.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // Ended, or a caller needs the result now.
        }
    }

    // The device answered and does not notify.
    private sealed class PlainAnswer(TimeSpan maxAge) : CoapException("The device does not notify.")
    {
        public TimeSpan MaxAge => maxAge;
    }
}
