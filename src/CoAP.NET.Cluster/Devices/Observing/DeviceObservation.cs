using CoAP.NET.Diagnostics;
using CoAP.NET.Observing.Client;

namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>
/// An observation of a resource that follows the device. When the device moves, its node fails or the registration ends, the device is
/// found and observed again. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // the sources have neither timers nor handles
internal sealed class DeviceObservation : CoapObservationRelay
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(250);

    private readonly ClusterDevices _devices;
    private readonly DeviceObservations _all;
    private readonly ObservedResource _resource;
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CancellationTokenSource _pause = new();

    public DeviceObservation(
        ClusterDevices devices, DeviceObservations all, ObservedResource resource, CoapObservationOptions? options)
        : base($"a resource of the device '{CoapUntrustedText.LineOf(resource.Device)}'", options, all.Logger) =>
        (_devices, _all, _resource) = (devices, all, resource);

    public string Device => _resource.Device;

    /// <summary>Starts the observation.</summary>
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
        Fail(new CoapException("The node has left the cluster and no longer observes devices."));
        OnEnded();
    }

    protected override async Task<CoapResponse> RefreshAsync()
    {
        CoapResponse response = await _devices.SendAsync(Device, _resource.ToRequest(), _stop.Token).ConfigureAwait(false);
        Publish(Observation.State, response, Observation.Error);

        // The device is awake.
        await Volatile.Read(ref _pause).CancelAsync().ConfigureAwait(false);
        return response;
    }

    protected override void OnEnded()
    {
        _all.Remove(this);
        _ = _stop.CancelAsync();
    }

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        IDeviceNotificationFeed? wrong = null;
        for (int failures = 0; !_stop.IsCancellationRequested;)
        {
            CoapException? failure;
            IDeviceNotificationFeed? feed = null;
            bool hasAnswered = false;
            long started = _all.Time.GetTimestamp();
            try
            {
                feed = await _devices.Router.TryObserveAsync(_resource, wrong, _stop.Token).ConfigureAwait(false)
                    ?? throw await _devices.FailureAsync(Device, _stop.Token).ConfigureAwait(false);
                (failure, hasAnswered) = await FollowAsync(feed).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // no caller waits for it: an observation survives the end of a node, and unexpected failures
            catch (Exception exception)
#pragma warning restore CA1031
            {
                failure = exception as CoapException ?? CoapDeviceException.Unreachable(
                    Device, $"the node that has its session did not answer. {exception.Message}", false, exception);
            }

            feed?.End();
            if (_stop.IsCancellationRequested)
            {
                return;
            }

            // After a node that no longer has the device the next one is asked at once, the first time.
            wrong = failure is null ? feed : null;
            failures = hasAnswered || (failure is null && failures == 0) ? 0 : failures + 1;
            if (_first.Task.IsCompleted ? !_resource.Rule.IsEnabled : failure is not null)
            {
                Fail(failure ?? CoapDeviceException.Unreachable(Device, "its session moved to another node, or has ended."));
                return;
            }

            if (_first.Task.IsCompleted)
            {
                Publish(CoapObserveState.Reregistering, null, failure);
            }

            TimeSpan least = feed is null ? TimeSpan.Zero : _resource.Rule.MinimumInterval - _all.Time.GetElapsedTime(started);
            await PauseAsync(failure, failures, least).ConfigureAwait(false);
        }
    }

    // Returns when the node no longer observes; without a failure if it does not have the device.
    private async Task<(CoapException? Failure, bool HasAnswered)> FollowAsync(IDeviceNotificationFeed feed)
    {
        bool hasAnswered = false;
        while (true)
        {
            DeviceNotification news = await feed.NextAsync(_stop.Token).ConfigureAwait(false);
            if (news.HasLeft)
            {
                return (null, hasAnswered);
            }

            hasAnswered |= news.Response is { IsSuccess: true };
            bool isOver = news.State is CoapObserveState.Failed or CoapObserveState.Cancelled;
            if (isOver || (news.Failure is not null && !_first.Task.IsCompleted))
            {
                return (news.Failure ?? new CoapDeviceException(
                    CoapDeviceFault.Failed, Device, "The observation ended at the node of the device."), hasAnswered);
            }

            Publish(news.State, news.Response, news.Failure);
            if (news.Response is not null)
            {
                _first.TrySetResult();
            }
        }
    }

    private void Fail(CoapException failure)
    {
        _first.TrySetException(failure);
        Publish(CoapObserveState.Failed, null, failure, isOver: true);
    }

    // Many may wait for the same node and must not ask it at the same time.
    private async Task PauseAsync(CoapException? failure, int failures, TimeSpan least)
    {
        TimeSpan pause = s_shortest * (1 << Math.Min(failures, 20)) * (0.5 + _all.Random.NextDouble());
        pause = pause < _resource.Rule.MaximumBackOff ? pause : _resource.Rule.MaximumBackOff;
        CancellationTokenSource wake = new();
        Volatile.Write(ref _pause, wake);
        using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token, wake.Token);
        try
        {
            await Task.Delay(pause > least ? pause : least, _all.Time, both.Token).ConfigureAwait(false);
            if (failure is CoapDeviceException { Fault: CoapDeviceFault.Asleep or CoapDeviceFault.Unknown })
            {
                await _devices.Router.WhenAwakeAsync(Device, both.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException)
        {
            // It has ended, or the device has just answered.
        }
    }
}
