using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Devices;

/// <summary>
/// A device with a session or connection at a server of this node. Whether it sleeps follows from the time of its last message, which the
/// peer knows, and from unanswered requests. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class LocalDevice(
    CoapCluster cluster, string name, CoapPeer peer, CoapDeviceOptions options, TimeProvider time)
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_new = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(50);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _gone = new();

    // The slot of its session, and the fence with which it came; null for a session or connection that stays at this node. The fence is
    // unset if the session came before this node owned slots, because the store was unavailable.
    private readonly (CoapSlot Slot, CoapFencingToken Fence)? _place = peer.DurableId is { IsEmpty: false } session
        ? (new CoapSlot(session.Span[0]), cluster.FenceOf(new CoapSlot(session.Span[0])))
        : null;

    // Consecutive unanswered requests, and the time at which the last of them failed.
    private int _unanswered;
    private long _gaveUpAt;
    private long _notedAt;
    private long _notedUnder;

    public string Name { get; } = name;

    public CoapPeer Peer { get; } = peer;

    public bool IsNoted => Volatile.Read(ref _notedAt) > 0;

    /// <summary>Whether the current owner of the name's slot has stored everything that is known.</summary>
    public bool IsNotedWhole(CoapFencingToken fence) =>
        LastHeard.UtcTicks <= Volatile.Read(ref _notedAt) && Volatile.Read(ref _notedUnder) == fence.Value;

    /// <summary>
    /// The time at which its session or connection was opened, or it was announced. For a session that came with its slot: the time of its
    /// last message.
    /// </summary>
    public DateTimeOffset ArrivedAt { get; } = peer.LastSeen;

    /// <summary>Whether its session was opened elsewhere, and came here with its slot.</summary>
    public bool HasMoved { get; } = peer.IsTakenOver || time.GetUtcNow() - peer.LastSeen > s_new;

    public DateTimeOffset LastHeard => Peer.LastSeen;

    // Whether its session is being handed over to another node.
    private bool IsMoving => _place is { } place && cluster.Releases.IsMoving(place.Slot, place.Fence);

    // Whether another node owns its session, or is about to.
    private bool IsElsewhere => _place is { } place && (IsMoving || (place.Fence.IsSet
        ? cluster.FenceOf(place.Slot) != place.Fence
        : cluster.Map[place.Slot].Node is { IsSet: true } owner && owner != cluster.Self.Id));

    private TimeSpan Silence => time.GetUtcNow() - Peer.LastSeen;

    /// <summary>Whether the device is known to be asleep.</summary>
    public bool IsAsleep
    {
        get
        {
            TimeSpan silence = Silence;
            lock (_gate)
            {
                return IsOver(silence) || IsGivenUpLocked(silence);
            }
        }
    }

    /// <summary>Canceled when the device has left this node.</summary>
    public CancellationToken Gone => _gone.Token;

    /// <summary>Ends the device at this node. Its observers are notified on another thread.</summary>
    public void End() => _ = _gone.CancelAsync();

    /// <summary>Converts a failure of its peer, so that requests to devices fail with the same exceptions on every node.</summary>
    public CoapDeviceException FailureOf(CoapException failure) => failure switch
    {
        CoapDeviceException already => already,
        CoapTimeoutException timeout when IsAsleep =>
            CoapDeviceException.Asleep(Name, LastHeard, timeout.IsOutcomeUnknown, timeout),
        CoapTimeoutException timeout => CoapDeviceException.Unreachable(Name, timeout.Message, timeout.IsOutcomeUnknown, timeout),
        CoapConnectionException connection =>
            CoapDeviceException.Unreachable(Name, connection.Message, connection.IsOutcomeUnknown, connection),
        _ => new CoapDeviceException(CoapDeviceFault.Failed, Name,
            $"The request to the device '{CoapUntrustedText.LineOf(Name)}' failed: {CoapUntrustedText.LineOf(failure.Message)}", failure),
    };

    /// <summary>Observes a resource of the device.</summary>
    /// <exception cref="CoapDeviceException">It is asleep, or did not answer.</exception>
    public async Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObservationOptions? observe, CancellationToken cancellationToken)
    {
        ThrowIfAsleep();
        try
        {
            CoapObservation made = await Peer.ObserveAsync(request, observe, cancellationToken).ConfigureAwait(false);
            cluster.Counts.Add(made switch
            {
                { State: CoapObserveState.NotObserving } => ClusterMetric.RegistrationsNotObservable,
                { Latest.IsSuccess: false } => ClusterMetric.RegistrationsRefused,
                { State: CoapObserveState.Observing } => ClusterMetric.RegistrationsAccepted,
                _ => ClusterMetric.RegistrationsUnanswered,
            });
            return made;
        }
        catch (CoapException exception)
        {
            throw FailureOf(exception);
        }
    }

    /// <summary>Records a write to the store.</summary>
    /// <param name="heard">The stored time.</param>
    /// <param name="fence">The fence of the slot of the name.</param>
    public void OnNoted(DateTimeOffset heard, CoapFencingToken fence)
    {
        Volatile.Write(ref _notedAt, heard.UtcTicks);
        Volatile.Write(ref _notedUnder, fence.Value);
    }

    /// <summary>Sends a request to the device. While its session is handed over nothing is sent.</summary>
    /// <exception cref="CoapDeviceException">It is asleep, or did not answer. With <see cref="CoapDeviceException.HasMoved"/> another node
    /// has its session or will have it, and the request is harmless to send there.</exception>
    public async Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        // Bounded: a slot is handed over or stays.
        while (IsMoving && !Gone.IsCancellationRequested)
        {
            await Task.Delay(s_lookAgain, time, cancellationToken).ConfigureAwait(false);
        }

        if (IsElsewhere && Gone.IsCancellationRequested)
        {
            throw CoapDeviceException.Unreachable(Name, "its session has moved to another node.", hasMoved: true);
        }

        ThrowIfAsleep();
        long started = time.GetTimestamp();
        try
        {
            return await Peer.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapConnectionException exception) when (IsElsewhere && exception.IsOfConnection
            && DeviceRequestMessageFactory.IsHarmlessTwice(request, exception.IsOutcomeUnknown))
        {
            throw CoapDeviceException.Unreachable(Name, exception.Message, exception.IsOutcomeUnknown, exception, hasMoved: true);
        }
        catch (CoapException exception) when (exception.Error == CoapError.EndpointStopped)
        {
            // Not a failure of the device: the next node, or the next process of this one, sends the requests of its outbox.
            throw CoapDeviceException.Unreachable(Name, exception.Message, !DeviceRequestMessageFactory.IsSafe(request), exception);
        }
        catch (CoapException exception)
        {
            if (exception is CoapTimeoutException)
            {
                OnUnanswered(started);
            }

            throw FailureOf(exception);
        }
    }

    /// <summary>
    /// Waits until the device is awake, or its session has ended. A device that never sends on its own is occasionally asked whether it is
    /// there.
    /// </summary>
    public async Task WhenAwakeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            Task heard = Peer.WhenHeardAsync(cancellationToken);
            if (!IsAsleep || Peer.Disconnected.IsCancellationRequested)
            {
                return;
            }

            TimeSpan retry = options.AwakeTime == Timeout.InfiniteTimeSpan ? options.RetryAsleepAfter : Timeout.InfiniteTimeSpan;
            await heard.WaitAsync(retry, time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
            if (!heard.IsCompleted)
            {
                await TryPingAsync(cancellationToken).ConfigureAwait(false);
            }
            else if (IsAsleep)
            {
                // The wait ended early because others needed its place; the device was silent.
                await Task.Delay(s_pause, time, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Waits until the device is awake, or has left this node.</summary>
    /// <returns>False if it has left.</returns>
    public async Task<bool> WhenAwakeOrGoneAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, Gone);
        await WhenAwakeAsync(either.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();
        return !Gone.IsCancellationRequested;
    }

    /// <summary>Throws if the device is asleep and it is too early for a retry.</summary>
    public void ThrowIfAsleep()
    {
        TimeSpan silence = Silence;
        lock (_gate)
        {
            if (!IsOver(silence))
            {
                if (silence <= time.GetElapsedTime(_gaveUpAt))
                {
                    _unanswered = 0;
                }

                if (_unanswered < options.TriesBeforeAsleep)
                {
                    return;
                }

                if (options.AwakeTime == Timeout.InfiniteTimeSpan && options.RetryAsleepAfter != Timeout.InfiniteTimeSpan
                    && time.GetElapsedTime(_gaveUpAt) >= options.RetryAsleepAfter)
                {
                    // One request tries; others fail at once until it has ended.
                    _gaveUpAt = time.GetTimestamp();
                    return;
                }
            }
        }

        throw CoapDeviceException.Asleep(Name, LastHeard);
    }

    /// <summary>Records an unanswered request.</summary>
    /// <param name="started">The time at which it was sent, as a timestamp of the clock.</param>
    public void OnUnanswered(long started)
    {
        TimeSpan waited = time.GetElapsedTime(started);
        TimeSpan silence = Silence;
        CoapTransmissionParameters parameters = Peer.Parameters;

        // A caller with a very short timeout proves nothing about the device. Concurrent requests count once.
        lock (_gate)
        {
            if (silence < waited)
            {
                _unanswered = 0;
            }
            else if (waited >= parameters.AckTimeout * parameters.AckRandomFactor && (_unanswered == 0 || started >= _gaveUpAt))
            {
                _unanswered++;
                _gaveUpAt = time.GetTimestamp();
            }
        }
    }

    private async Task TryPingAsync(CancellationToken cancellationToken)
    {
        try
        {
            await Peer.PingAsync(cancellationToken: cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException)
        {
            // It is still asleep.
        }
    }

    // The time in which it listens is over.
    private bool IsOver(TimeSpan silence) => options.AwakeTime != Timeout.InfiniteTimeSpan && silence > options.AwakeTime;

    // A message at the moment of failure counts as later: the device was silent for seconds before.
    private bool IsGivenUpLocked(TimeSpan silence) =>
        _unanswered >= options.TriesBeforeAsleep && silence > time.GetElapsedTime(_gaveUpAt);
}
