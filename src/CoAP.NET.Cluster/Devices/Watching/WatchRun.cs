namespace CoAP.NET.Cluster;

/// <summary>
/// Looks after the observation at a device, as long as the device is here: goes on with that of a node before, or registers when its turn
/// comes; asks again, with growing pauses, a device that refused or did not answer. Thread-safe.
/// </summary>
internal sealed class WatchRun(DeviceWatch watch, WatchParts parts)
{
    // Who answered an error may have the resource after an update; whoever connects anew is asked at once anyway.
    private static readonly TimeSpan s_refusedPause = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_silentPause = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_stalePause = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestPause = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_leastPause = TimeSpan.FromSeconds(1);

    /// <summary>Registrations are made again by this, at the pace of all; the rule is for what it might miss.</summary>
    public static CoapReregistration Rule { get; } = CoapReregistration.NotMoreOftenThan(s_longestPause * 2);

    /// <summary>Looks after a device until that is not here any more, or the watch ends.</summary>
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
                    // Nothing was sent: it is asked when it is heard.
                    SetObserved(at, false);
                }
                catch (Exception exception) when (exception is CoapException or InvalidOperationException)
                {
                    SetObserved(at, false);
                    parts.OnUnanswered(one.Device.Name, exception);

                    // It spoke when the last copy was on its way, and may sleep again soon.
                    at.HasSpoken = exception is CoapTimeoutException && one.Device.LastHeard > at.AskedAt;
                }

                failures++;
                await PauseAsync(at, failures).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (one.Stop.IsCancellationRequested)
        {
            // The device is not here any more, or nobody wants to know.
        }
#pragma warning disable CA1031 // nobody waits for it
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

    // Gives whether the device notifies.
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
                // The next node goes on with it.
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
                ?? throw new CoapException("The observation could not be begun or gone on with.");
        }

        return await one.Device.Peer.ObserveAsync(new CoapRequest(watch.Resource.ToMessage()),
            new CoapObserveOptions { OnNotification = response => watch.Take(one, response), Reregistration = Rule }, one.Stop.Token)
            .ConfigureAwait(false);
    }

    // While the device notifies.
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
                    // Perhaps the device restarted and forgot.
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

                // Another node has it in a moment.
            }
            catch (CoapDeviceException)
            {
                // It is asked when it is heard.
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
            // It holds what is too large.
            at.Made = null;
            parts.Cluster.Observations.TakeOwn(watch.Resource.Name, one.Device.Peer);
            await made.DisposeAsync().ConfigureAwait(false);
        }

        await Task.Delay(PauseOf(s_refusedPause, failures), parts.Time, one.Stop.Token).ConfigureAwait(false);
    }

    // Half of it by lot: many may wait for the same.
    private TimeSpan PauseOf(TimeSpan pause, int failures)
    {
        TimeSpan longest = pause * (1 << Math.Min(failures - 1, 10));
        return (longest < s_longestPause ? longest : s_longestPause) * (0.5 + (parts.Random.NextDouble() / 2));
    }

    // One that rejects what it is asked is heard as well, so not at once each time.
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
            // What is kept of it is looked after by who keeps it.
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

    // What is known of the observation at a device by who looks after it.
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
