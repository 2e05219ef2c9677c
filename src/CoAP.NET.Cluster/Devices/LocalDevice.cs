namespace CoAP.NET.Cluster;

/// <summary>
/// A device that has its session or connection with a server of this node. It knows whether the device sleeps by what it said last, which
/// the peer knows, and by what it did not answer. Thread-safe.
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

    // Requests in a row that were not answered, and when the last of them was given up.
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

    /// <summary>Whether the store was told of the device.</summary>
    public bool IsNoted => Volatile.Read(ref _notedAt) > 0;

    /// <summary>Whether the store was told everything that is known, by the node that has the slot of the name now.</summary>
    /// <param name="fence">The fence of that slot.</param>
    public bool IsNotedWhole(CoapFence fence) =>
        LastHeard.UtcTicks <= Volatile.Read(ref _notedAt) && Volatile.Read(ref _notedUnder) == fence.Value;

    /// <summary>
    /// When its session or connection was opened, or it was announced; when it was heard in it last, if that came here with its slot.
    /// </summary>
    public DateTimeOffset CameAt { get; } = peer.LastSeen;

    /// <summary>Whether its session was opened elsewhere, and came here with its slot.</summary>
    public bool HasMoved { get; } = peer.IsTakenOver || time.GetUtcNow() - peer.LastSeen > s_new;

    public DateTimeOffset LastHeard => Peer.LastSeen;

    private TimeSpan Silence => time.GetUtcNow() - Peer.LastSeen;

    /// <summary>Whether the device is asleep, as far as is known.</summary>
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

    /// <summary>Cancelled when the device is not here any more.</summary>
    public CancellationToken Gone => _gone.Token;

    /// <summary>The device is not here any more. Whoever observes it is told on another thread.</summary>
    public void End() => _ = _gone.CancelAsync();

    /// <summary>What a failure of its peer is for those who ask it.</summary>
    /// <param name="failure">The failure.</param>
    public CoapDeviceException FailureOf(CoapException failure) => DeviceFailure.Of(failure, Name, LastHeard, IsAsleep);

    /// <summary>Observes a resource of the device.</summary>
    /// <param name="request">The request.</param>
    /// <param name="observe">How; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapDeviceException">It is asleep, or there is no answer.</exception>
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

    /// <summary>The store was told.</summary>
    /// <param name="heard">What it was told.</param>
    /// <param name="fence">The fence of the slot of the name.</param>
    public void OnNoted(DateTimeOffset heard, CoapFence fence)
    {
        Volatile.Write(ref _notedAt, heard.UtcTicks);
        Volatile.Write(ref _notedUnder, fence.Value);
    }

    /// <summary>
    /// Asks the device. While its session is handed over nothing new is sent: the next node asks then. A request that was under way when
    /// the session went, as the device had not answered in time, may be sent there when it does no harm twice (RFC 7252 section 5.1).
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer; null when another node is to be asked, which has the device or will have it.</returns>
    /// <exception cref="CoapDeviceException">It is asleep, or there is no answer.</exception>
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
            // No failure of the device: what waits in its outbox is sent by the next node, or by the next process of this one.
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
    /// Waits until the device is not asleep, or its session has ended. One that never speaks by itself is asked now and then whether it is
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
                // The wait ended early, as others needed its place; the device said nothing.
                await Task.Delay(s_pause, time, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>
    /// Whether the device, which does not answer here, may have another session at another node: when two of its sessions moved with
    /// their slots, clocks of nodes do not tell which is the newer one. Not again for a minute after nobody else had it, as devices that
    /// sleep are asked again and again.
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

    /// <summary>No other node has it awake.</summary>
    public void OnNotElsewhere()
    {
        lock (_gate)
        {
            _notElsewhereAt = time.GetTimestamp();
        }
    }

    /// <summary>A session of it came to another node.</summary>
    public void OnPerhapsElsewhere()
    {
        lock (_gate)
        {
            _notElsewhereAt = null;
        }
    }

    /// <summary>
    /// Asks the device whether it is there, and waits for some minutes for something that it says in its session, be it an answer or not.
    /// </summary>
    /// <returns>False when it said nothing, or the session has ended.</returns>
    public async Task<bool> IsHeardAsync()
    {
        DateTimeOffset before = LastHeard;
        Task heard = Peer.WhenHeardAsync(Gone);
        await TryPingAsync(Gone).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await heard.WaitAsync(s_longestWait, time).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return LastHeard > before && !Gone.IsCancellationRequested;
    }

    /// <summary>Throws when the device is asleep and it is not time to try whether it still is.</summary>
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
                    // One request tries; others are told at once until it has ended.
                    _gaveUpAt = time.GetTimestamp();
                    return;
                }
            }
        }

        throw new CoapDeviceAsleepException(Name, LastHeard);
    }

    /// <summary>The device did not answer a request.</summary>
    /// <param name="started">When it was sent, by the clock's timestamp.</param>
    public void OnUnanswered(long started)
    {
        TimeSpan waited = time.GetElapsedTime(started);
        TimeSpan silence = Silence;
        CoapTransmissionParameters parameters = Peer.Parameters;

        // A caller that waits for a moment only learns nothing about the device; one whose request was not the first to wait counts once.
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

    /// <summary>Whether a request can be sent again: a body that was read from a stream is gone.</summary>
    /// <param name="request">The request.</param>
    public static bool IsWhole(CoapRequest request) =>
        request.Content is null || !request.Payload.IsEmpty || !request.Content.Bytes.IsEmpty;

    /// <summary>Whether a request does no harm when it is sent once more.</summary>
    /// <param name="request">The request.</param>
    /// <param name="isOutcomeUnknown">Whether it may have taken effect; never so for safe ones.</param>
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
            // It is asleep as before.
        }
    }

    // The time in which it listens is over.
    private bool IsOver(TimeSpan silence) => options.AwakeTime != Timeout.InfiniteTimeSpan && silence > options.AwakeTime;

    // What came at the very moment of giving up came afterwards: it was silent for seconds before.
    private bool IsGivenUpLocked(TimeSpan silence) =>
        _unanswered >= options.TriesBeforeAsleep && silence > time.GetElapsedTime(_gaveUpAt);
}
