using CoAP.NET.Cluster;

namespace CoAP.NET.Orleans;

/// <summary>An observation of this silo at its device for a node that polls it. Polled by one caller at a time.</summary>
/// <param name="device">The device.</param>
/// <param name="time">The clock.</param>
#pragma warning disable CA1001 // the observation ends at once and completes nothing
internal sealed class PolledObservation(LocalDevice device, TimeProvider time)
#pragma warning restore CA1001
{
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CoapObservation? _observation;
    private CoapResponse? _told;
    private CoapObserveState _toldState;
    private CoapException? _toldError;
    private bool _isEnded;

    /// <summary>The time of the last poll.</summary>
    public long PolledAt { get; private set; } = time.GetTimestamp();

    /// <summary>Registers at the device.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="cancellationToken">Stops waiting, and ends it.</param>
    /// <exception cref="CoapDeviceException">It is asleep, or did not answer.</exception>
    public async Task BeginAsync(ObservedResource resource, CancellationToken cancellationToken)
    {
        CoapObservation made = await device.ObserveAsync(resource.ToDevice(), new CoapObserveOptions
        {
            Reregistration = CoapReregistration.NotMoreOftenThan(resource.MinimumInterval),
            OnNotification = _ => Wake(),
        }, cancellationToken).ConfigureAwait(false);
        made.StateChanged += (_, _) => Wake();
        Volatile.Write(ref _observation, made);
        _ = device.Gone.UnsafeRegister(static polled => ((PolledObservation)polled!).Wake(), this);
        if (Volatile.Read(ref _isEnded))
        {
            End();
        }
    }

    /// <summary>Waits until there is another state than returned last.</summary>
    /// <param name="longest">The maximum wait.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The state; without an answer if it is the one returned last.</returns>
    public async Task<DeviceNews> NextAsync(TimeSpan longest, CancellationToken cancellationToken)
    {
        PolledAt = time.GetTimestamp();
        CoapObservation observation = _observation!;
        for (bool isOver = false; ;)
        {
            Task changed = Volatile.Read(ref _changed).Task;
            if (device.Gone.IsCancellationRequested)
            {
                return new DeviceNews(CoapObserveState.Failed, DeviceBytes.Of(DeviceWire.Wrap((CoapDeviceException?)null)));
            }

            (CoapObserveState state, CoapResponse? latest, CoapException? error) =
                (observation.State, observation.Latest, observation.Error);
            if (latest is not null && !ReferenceEquals(latest, _told))
            {
                (_told, _toldState, _toldError) = (latest, state, null);
                return new DeviceNews(state, DeviceBytes.Of(device.Name, latest, isSafe: true));
            }

            if (state != _toldState || (error is not null && error.GetType() != _toldError?.GetType()))
            {
                (_toldState, _toldError) = (state, error);
                return new DeviceNews(state, error is null ? null : DeviceBytes.Of(DeviceWire.Wrap(device.FailureOf(error))));
            }

            if (isOver)
            {
                return new DeviceNews(state);
            }

            await changed.WaitAsync(longest, time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
            isOver = !changed.IsCompleted;
        }
    }

    /// <summary>Deregisters in the background. A device that has left is sent nothing.</summary>
    public void End()
    {
        Volatile.Write(ref _isEnded, true);
        if (Volatile.Read(ref _observation) is not { } observation)
        {
            return;
        }

        if (device.Gone.IsCancellationRequested)
        {
            observation.Leave();
        }
        else
        {
            // Returns at once.
            _ = observation.DisposeAsync().AsTask();
        }
    }

    private void Wake()
    {
        TaskCompletionSource changed = Interlocked.Exchange(
            ref _changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        changed.TrySetResult();
    }
}
