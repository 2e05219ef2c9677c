namespace CoAP.NET.Cluster;

/// <summary>
/// A device with a session or connection at a server of this node. Whether it sleeps follows from the time of its last message, which the
/// peer knows, and from unanswered requests. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class LocalDevice(
    string name, byte[] key, CoapPeer peer, SessionPlace place, ClusterCounts counts, CoapDeviceOptions options, TimeProvider time)
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_new = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_elsewhereAgain = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_longestWait = TimeSpan.FromMinutes(15);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _gone = new();

    // Consecutive unanswered requests, and the time at which the last of them failed.
    private int _unanswered;
    private long _gaveUpAt;
    private long _notedAt;
    private long _notedUnder;
    private long? _notElsewhereAt;

    public string Name { get; } = name;

    /// <summary>The bytes of the name.</summary>
    public ReadOnlyMemory<byte> Key { get; } = key;

    public CoapPeer Peer { get; } = peer;

    /// <summary>The slot of its session.</summary>
    public SessionPlace Place => place;

    /// <summary>Whether the store has a record of the device.</summary>
    public bool IsNoted => Volatile.Read(ref _notedAt) > 0;

    /// <summary>Whether the current owner of the name's slot has stored everything that is known.</summary>
    /// <param name="fence">The fence of that slot.</param>
    public bool IsNotedWhole(CoapFence fence) =>
        LastHeard.UtcTicks <= Volatile.Read(ref _notedAt) && Volatile.Read(ref _notedUnder) == fence.Value;

    /// <summary>
    /// The time at which its session or connection was opened, or it was announced. For a session that came with its slot: the time of its
    /// last message.
    /// </summary>
    public DateTimeOffset CameAt { get; } = peer.LastSeen;

    /// <summary>Whether its session was opened elsewhere, and came here with its slot.</summary>
    public bool HasMoved { get; } = peer.IsTakenOver || time.GetUtcNow() - peer.LastSeen > s_new;

    public DateTimeOffset LastHeard => Peer.LastSeen;

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

    /// <summary>Converts a failure of its peer.</summary>
    /// <param name="failure">The failure.</param>
    public CoapDeviceException FailureOf(CoapException failure) => DeviceFailure.Of(failure, Name, LastHeard, IsAsleep);

    /// <summary>Observes a resource of the device.</summary>
    /// <param name="request">The request.</param>
    /// <param name="observe">The options; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapDeviceException">It is asleep, or did not answer.</exception>
    public async Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObserveOptions? observe, CancellationToken cancellationToken)
    {
        ThrowIfNotToAsk();
        try
        {
            CoapObservation made = await Peer.ObserveAsync(request, observe, cancellationToken).ConfigureAwait(false);
            counts.Add(made switch
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
            throw DeviceFailure.Of(exception, Name, LastHeard, IsAsleep);
        }
    }

    /// <summary>Records a write to the store.</summary>
    /// <param name="heard">The stored time.</param>
    /// <param name="fence">The fence of the slot of the name.</param>
    public void OnNoted(DateTimeOffset heard, CoapFence fence)
    {
        Volatile.Write(ref _notedAt, heard.UtcTicks);
        Volatile.Write(ref _notedUnder, fence.Value);
    }

    /// <summary>
    /// Sends a request to the device. While its session is handed over nothing is sent: the next node sends the request. A request that was
    /// unanswered when the session left may be sent there if that is harmless (RFC 7252 section 5.1).
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer; null if another node has the device or will have it, and must be asked.</returns>
    /// <exception cref="CoapDeviceException">It is asleep, or did not answer.</exception>
    public async Task<CoapResponse?> TrySendAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        if (!await IsStayingAsync(cancellationToken).ConfigureAwait(false))
        {
            return null;
        }

        ThrowIfNotToAsk();
        long started = time.GetTimestamp();
        try
        {
            return await Peer.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapConnectionException exception) when (place.HasMoved && IsHarmlessTwice(request, exception.IsOutcomeUnknown))
        {
            return IsWhole(request)
                ? null
                : throw new CoapDeviceUnreachableException(Name, exception.Message, exception.IsOutcomeUnknown, exception)
                {
                    HasMoved = true,
                };
        }
        catch (CoapException exception) when (exception.IsEndpointStopped)
        {
            // Not a failure of the device: the next node, or the next process of this one, sends the requests of its outbox.
            throw new CoapDeviceUnreachableException(
                Name, exception.Message, request.Code != CoapCode.Get && request.Code != CoapCode.Fetch, exception);
        }
        catch (CoapException exception)
        {
            if (exception is CoapTimeoutException)
            {
                OnUnanswered(started);
            }

            throw DeviceFailure.Of(exception, Name, LastHeard, IsAsleep);
        }
    }

    /// <summary>
    /// Waits until the device is awake, or its session has ended. A device that never sends on its own is occasionally asked whether it is
    /// there.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
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

    /// <summary>
    /// Whether the silent device may have another session at another node: if two of its sessions moved with their slots, clocks cannot
    /// tell which is newer. False for a minute after no other node had it, because sleeping devices are asked repeatedly.
    /// </summary>
    public bool MayBeElsewhere
    {
        get
        {
            if (!HasMoved || !IsAsleep)
            {
                return false;
            }

            lock (_gate)
            {
                return _notElsewhereAt is not { } at || time.GetElapsedTime(at) >= s_elsewhereAgain;
            }
        }
    }

    /// <summary>Records that no other node has it awake.</summary>
    public void OnNotElsewhere()
    {
        lock (_gate)
        {
            _notElsewhereAt = time.GetTimestamp();
        }
    }

    /// <summary>Records that a session of it came to another node.</summary>
    public void OnPerhapsElsewhere()
    {
        lock (_gate)
        {
            _notElsewhereAt = null;
        }
    }

    /// <summary>Asks the device whether it is there, and waits a few minutes for any message in its session.</summary>
    /// <returns>False if it was silent, or the session has ended.</returns>
    public async Task<bool> IsHeardAsync()
    {
        DateTimeOffset before = LastHeard;
        Task heard = Peer.WhenHeardAsync(Gone);
        await TryPingAsync(Gone).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await heard.WaitAsync(s_longestWait, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return LastHeard > before && !Gone.IsCancellationRequested;
    }

    /// <summary>Throws if the device is asleep and it is too early for a retry.</summary>
    public void ThrowIfNotToAsk()
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

        throw new CoapDeviceAsleepException(Name, LastHeard);
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

    /// <summary>Whether a request can be sent again: a stream body is consumed.</summary>
    /// <param name="request">The request.</param>
    public static bool IsWhole(CoapRequest request) =>
        request.Content is null || !request.Payload.IsEmpty || !request.Content.Bytes.IsEmpty;

    /// <summary>Whether a request is harmless to repeat.</summary>
    /// <param name="request">The request.</param>
    /// <param name="isOutcomeUnknown">Whether it may have taken effect; irrelevant for safe methods.</param>
    public static bool IsHarmlessTwice(CoapRequest request, bool isOutcomeUnknown) => !isOutcomeUnknown
        || request.Code == CoapCode.Put || request.Code == CoapCode.Delete || request.Code == CoapCode.IPatch;

    // Bounded: a slot is handed over or stays.
    private async Task<bool> IsStayingAsync(CancellationToken cancellationToken)
    {
        while (place.IsMoving && !Gone.IsCancellationRequested)
        {
            await Task.Delay(s_lookAgain, time, cancellationToken).ConfigureAwait(false);
        }

        return !place.HasMoved || !Gone.IsCancellationRequested;
    }

    private async Task TryPingAsync(CancellationToken cancellationToken)
    {
        try
        {
            await Peer.PingAsync(cancellationToken).ConfigureAwait(false);
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
