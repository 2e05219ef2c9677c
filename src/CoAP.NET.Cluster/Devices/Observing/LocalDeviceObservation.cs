namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>An observation at a device of this node. The device has one registration for all observations of the same resource.</summary>
#pragma warning disable CA1001 // the observation ends at once and completes nothing
internal sealed class LocalDeviceObservation : IDeviceNotificationFeed
#pragma warning restore CA1001
{
    private readonly LocalDevice _device;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CoapObservation? _observation;
    private CoapResponse? _told;
    private CoapObserveState _toldState;
    private CoapException? _toldError;

    private LocalDeviceObservation(LocalDevice device) => _device = device;

    /// <summary>Registers at a device.</summary>
    /// <exception cref="CoapDeviceException">The device is asleep, or did not answer.</exception>
    public static async Task<LocalDeviceObservation> StartAsync(
        LocalDevice device, ObservedResource resource, CancellationToken cancellationToken)
    {
        LocalDeviceObservation feed = new(device);
        CoapObservation made = await device.ObserveAsync(resource.ToRequest(), new CoapObservationOptions
        {
            Reregistration = resource.Rule,
            OnNotification = _ => feed.Wake(),
        }, cancellationToken).ConfigureAwait(false);
        feed._observation = made;
        made.StateChanged += (_, _) => feed.Wake();
        _ = device.Gone.UnsafeRegister(static feed => ((LocalDeviceObservation)feed!).Wake(), feed);
        return feed;
    }

    public async Task<DeviceNotification> NextAsync(CancellationToken cancellationToken)
    {
        CoapObservation observation = _observation!;
        while (true)
        {
            Task changed = Volatile.Read(ref _changed).Task;
            if (_device.Gone.IsCancellationRequested)
            {
                return DeviceNotification.Left;
            }

            (CoapObserveState state, CoapResponse? latest, CoapException? error) =
                (observation.State, observation.Latest, observation.Error);
            if (latest is not null && !ReferenceEquals(latest, _told))
            {
                // The end and its reason follow.
                state = state == CoapObserveState.Failed ? CoapObserveState.Reregistering : state;
                (_told, _toldState, _toldError) = (latest, state, null);
                return new DeviceNotification(state, latest);
            }

            if (state != _toldState || (error is not null && error.GetType() != _toldError?.GetType()))
            {
                (_toldState, _toldError) = (state, error);
                return new DeviceNotification(state, null, error is null ? null : _device.FailureOf(error));
            }

            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    public void End()
    {
        // A device that has left is sent nothing. Both return at once.
        if (_device.Gone.IsCancellationRequested)
        {
            _observation!.LeaveRegistered();
        }
        else
        {
            _ = _observation!.DisposeAsync().AsTask();
        }
    }

    private void Wake()
    {
        TaskCompletionSource changed = Interlocked.Exchange(
            ref _changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        changed.TrySetResult();
    }
}
