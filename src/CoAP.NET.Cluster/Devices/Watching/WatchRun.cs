namespace CoAP.NET.Cluster;

/// <summary>
/// Maintains the observation at a device as long as the device is here: continues that of a previous node, or registers when its turn
/// comes, and retries with growing pauses if the device refused or did not answer. Thread-safe.
/// </summary>
internal sealed class WatchRun(DeviceWatch watch, WatchParts parts)
{
    // A device with an error may have the resource after an update; a reconnected device is asked at once anyway.
    private static readonly TimeSpan s_refusedPause = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_silentPause = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_stalePause = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_leastPause = TimeSpan.FromSeconds(1);

    /// <summary>This class renews registrations, at the common rate; the rule covers what it might miss.</summary>
    public static CoapReregistration Rule { get; } = CoapReregistration.NotMoreOftenThan(s_longestPause * 2);

    /// <summary>Maintains a device until it leaves, or the watch ends.</summary>
    /// <param name="one">The device.</param>
    public async Task RunAsync(WatchedDevice one)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        Registration at = new(one);
        void OnState(object? sender, CoapObserveState state) => one.Changed.Wake();
        try
        {
            for (int failures = 0; !one.Stop.IsCancellationRequested;)
            {
                try
                {
                    if (await TryRegisterAsync(at, failures == 0, OnState).ConfigureAwait(false))
                    {
                        failures = 0;
                        SetObserved(at, true);
                        await WhenLostAsync(at).ConfigureAwait(false);
                        SetObserved(at, false);
                    }
                }
                catch (CoapDeviceAsleepException)
                {
                    // Nothing was sent: the next attempt follows its next message.
                    SetObserved(at, false);
                }
                catch (Exception exception) when (exception is CoapException or InvalidOperationException)
                {
                    SetObserved(at, false);
                    parts.OnUnanswered(one.Device.Name, exception);

                    // It spoke after the last transmission, and may sleep again soon.
                    at.HasSpoken = exception is CoapTimeoutException && one.Device.LastHeard > at.AskedAt;
                }

                failures++;
                await PauseAsync(at, failures).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (one.Stop.IsCancellationRequested)
        {
            // The device has left, or there are no observers.
        }
#pragma warning disable CA1031 // no caller waits for it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            WatchLog.Failed(parts.Logger, CoapForeignText.LineOf(one.Device.Name), exception);
        }
        finally
        {
            SetObserved(at, false);
            await EndAsync(at, OnState).ConfigureAwait(false);
        }
    }

    // Returns whether the device notifies.
    private async Task<bool> TryRegisterAsync(Registration at, bool isFirst, EventHandler<CoapObserveState> onState)
    {
        WatchedDevice one = at.Device;
        CancellationToken stop = one.Stop.Token;
        long started = parts.Time.GetTimestamp();
        bool isPaced = at.Made is not null || !await IsAdoptableAsync(at).ConfigureAwait(false);
        if (isPaced)
        {
            await parts.Pace.EnterAsync(isFirst, stop).ConfigureAwait(false);
        }

        try
        {
            if (one.Device.Place.HasMoved)
            {
                // The next node continues with it.
                return false;
            }

            if (isPaced)
            {
                one.Device.ThrowIfNotToAsk();
            }

            started = parts.Time.GetTimestamp();
            at.AskedAt = parts.Time.GetUtcNow();
            if (at.Made is { State: not (CoapObserveState.Failed or CoapObserveState.Cancelled) } made)
            {
                await made.RefreshAsync(stop).ConfigureAwait(false);
            }
            else
            {
                at.Made = made = await BeginAsync(at).ConfigureAwait(false);
                made.StateChanged += onState;
            }

            watch.TakeLatest(one, made);
            if (made is { State: CoapObserveState.Reregistering or CoapObserveState.Failed, Error: { } error }
                && error is not CoapResponseException)
            {
                throw error;
            }
        }
        catch (CoapTimeoutException)
        {
            one.Device.OnUnanswered(started);
            throw;
        }
        finally
        {
            if (isPaced)
            {
                parts.Pace.Leave();
            }
        }

        bool isObserved = watch.StateOf(one).Refusal is null;
        if (isObserved)
        {
            parts.Cluster.Counts.Add(isPaced ? ClusterMetric.RegistrationsAccepted : ClusterMetric.RegistrationsAdopted);
        }

        return isObserved;
    }

    private async Task<bool> IsAdoptableAsync(Registration at)
    {
        CoapPeer peer = at.Device.Device.Peer;
        at.IsDurable = at.Device.Device.Place.Slot is not null && parts.Cluster.Observations.CanKeep(peer);
        return at.IsDurable
            && await parts.Cluster.Observations.HasOwnAsync(watch.Resource.Name, peer, at.Device.Stop.Token).ConfigureAwait(false);
    }

    private async Task<CoapObservation> BeginAsync(Registration at)
    {
        WatchedDevice one = at.Device;
        if (at.IsDurable)
        {
            return await parts.Cluster.Observations.StartOwnAsync(
                watch.Resource.Name, one.Device.Peer, watch.Resource.ToMessage(), one.Stop.Token).ConfigureAwait(false)
                ?? throw new CoapException("The observation could not be started or continued.");
        }

        return await one.Device.Peer.ObserveAsync(new CoapRequest(watch.Resource.ToMessage()),
            new CoapObserveOptions { OnNotification = response => watch.Take(one, response), Reregistration = Rule }, one.Stop.Token)
            .ConfigureAwait(false);
    }

    // Returns when the device no longer notifies.
    private async Task WhenLostAsync(Registration at)
    {
        WatchedDevice one = at.Device;
        while (true)
        {
            Task changed = one.Changed.Next;
            (CoapDeviceRefusal? refusal, bool mustBeRead) = watch.StateOf(one);
            if (refusal is not null)
            {
                return;
            }

            switch (at.Made!.State)
            {
                case CoapObserveState.Observing:
                    break;
                case CoapObserveState.Stale:
                    // The device may have restarted and lost its registrations.
                    at.IsStale = true;
                    return;
                default:
                    if (at.Made.Error is { } failure)
                    {
                        throw failure;
                    }

                    return;
            }

            if (mustBeRead)
            {
                await ReadAsync(one).ConfigureAwait(false);
                continue;
            }

            await changed.WaitAsync(one.Stop.Token).ConfigureAwait(false);
        }
    }

    private async Task ReadAsync(WatchedDevice one)
    {
        CancellationToken stop = one.Stop.Token;
        for (int failures = 1; watch.StateOf(one).MustBeRead; failures++)
        {
            await parts.Pace.EnterAsync(failures == 1, stop).ConfigureAwait(false);
            try
            {
                if (await one.Device.TrySendAsync(new CoapRequest(watch.Resource.ToMessage()), stop).ConfigureAwait(false) is { } answer)
                {
                    watch.TakeRead(one, answer);
                    return;
                }

                // Another node is about to have it.
            }
            catch (CoapDeviceException)
            {
                // The next attempt follows its next message.
            }
            finally
            {
                parts.Pace.Leave();
            }

            await WhenHeardAsync(one, failures).ConfigureAwait(false);
        }
    }

    private async Task PauseAsync(Registration at, int failures)
    {
        WatchedDevice one = at.Device;
        if (at.IsStale || at.HasSpoken)
        {
            TimeSpan pause = at.IsStale ? s_stalePause : s_leastPause;
            (at.IsStale, at.HasSpoken) = (false, false);
            await Task.Delay(PauseOf(pause, 1), parts.Time, one.Stop.Token).ConfigureAwait(false);
            return;
        }

        if (watch.StateOf(one).Refusal is not { } refusal)
        {
            await WhenHeardAsync(one, failures).ConfigureAwait(false);
            return;
        }

        if (refusal == CoapDeviceRefusal.TooLarge && at.Made is { } made)
        {
            // It holds a response that is too large.
            at.Made = null;
            parts.Cluster.Observations.TakeOwn(watch.Resource.Name, one.Device.Peer);
            await made.DisposeAsync().ConfigureAwait(false);
        }

        await Task.Delay(PauseOf(s_refusedPause, failures), parts.Time, one.Stop.Token).ConfigureAwait(false);
    }

    // Half of it is random because many may wait for the same event.
    private TimeSpan PauseOf(TimeSpan pause, int failures)
    {
        TimeSpan longest = pause * (1 << Math.Min(failures - 1, 10));
        return (longest < s_longestPause ? longest : s_longestPause) * (0.5 + (parts.Random.NextDouble() / 2));
    }

    // A device that rejects requests sends messages as well, so not immediately each time.
    private async Task WhenHeardAsync(WatchedDevice one, int failures)
    {
        TimeSpan least = s_leastPause * (1 << Math.Min(failures - 1, 5));
        TimeSpan longest = PauseOf(s_silentPause, failures);
        using CancellationTokenSource over = CancellationTokenSource.CreateLinkedTokenSource(one.Stop.Token);
        Task heard = one.Device.Peer.WhenHeardAsync(over.Token);
        await Task.Delay(least, parts.Time, one.Stop.Token).ConfigureAwait(false);
        await Task.WhenAny(heard, Task.Delay(longest, parts.Time, over.Token)).ConfigureAwait(false);
        await over.CancelAsync().ConfigureAwait(false);
        one.Stop.Token.ThrowIfCancellationRequested();
    }

    private async Task EndAsync(Registration at, EventHandler<CoapObserveState> onState)
    {
        if (at.Made is not { } made)
        {
            return;
        }

        made.StateChanged -= onState;
        if (at.Device.IsLeft)
        {
            // The owner of its kept state maintains it.
            if (!at.IsDurable)
            {
                made.Leave();
            }

            return;
        }

        if (at.IsDurable)
        {
            parts.Cluster.Observations.TakeOwn(watch.Resource.Name, at.Device.Device.Peer);
        }

        await parts.Pace.EnterAsync(isFirst: false, CancellationToken.None).ConfigureAwait(false);
        try
        {
            await made.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            parts.Pace.Leave();
        }
    }

    private void SetObserved(Registration at, bool isObserved)
    {
        if (at.IsObserved != isObserved)
        {
            at.IsObserved = isObserved;
            parts.Cluster.Counts.Add(ClusterMetric.DevicesObserved, isObserved ? 1 : -1);
        }
    }

    // The state of the observation at a device.
    private sealed class Registration(WatchedDevice device)
    {
        public WatchedDevice Device => device;
        public CoapObservation? Made;
        public bool IsDurable;
        public bool IsObserved;
        public bool IsStale;
        public bool HasSpoken;
        public DateTimeOffset AskedAt;
    }
}
