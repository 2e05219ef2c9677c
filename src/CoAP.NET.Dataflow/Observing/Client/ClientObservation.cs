using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>
/// One observation of one resource by this endpoint, which several readers may share (RFC 7641 section 3). Events are handled one after the
/// other, by the thread that raised the event or by one that is busy with the same observation, and never under a lock.
/// <see cref="ClientRegistration"/> registers, detects a lost registration and registers again; <see cref="ClientNotifications"/> handles
/// the messages of the server. The only timer is that of the shard's wheel.
/// </summary>
internal sealed class ClientObservation : WheelTimer, IStandingOwner, IAfterRelease, IObservationSource
{
    // Only events during the work of another thread wait here, so a few are many.
    private const int MaxWaiting = 64;

    private readonly ClientObservations _all;
    private readonly CoapShard _shard;
    private readonly ClientRegistration _registration;
    private readonly ClientNotifications _notifications;

    // Guarded by Shard.Gate.
    private bool _isBusy;
    private List<ObservationEvent>? _waiting;

    // Owned by the busy thread.
    private bool _hasChanged;
    private bool _isCounted = true;
    private bool _isLost;
    private ObservationRefreshes? _refreshes;

    // Written by the busy thread, read by all.
    private ObservationSnapshot _snapshot = ObservationSnapshot.Initial;

    private CoapReregistration _rule = CoapReregistration.Auto;

    /// <summary>The readers of the observation. Guarded by the gate of <see cref="ClientObservations"/>.</summary>
    public ObservationReaders Readers;

    public ClientObservation(ObservationTarget target, ClientObservations all, ObservationPort port, CoapShard shard)
    {
        Target = target;
        _all = all;
        _shard = shard;
        all.States.Add(_snapshot.State);
        _registration = new ClientRegistration(this, all, port);
        _notifications = new ClientNotifications(this, _registration, port);
    }

    public ObservationTarget Target { get; }

    /// <summary>The current state for observers.</summary>
    public ObservationSnapshot Snapshot => Volatile.Read(ref _snapshot);

    /// <summary>The re-registration rule of its readers. Written under the gate of <see cref="ClientObservations"/>.</summary>
    public CoapReregistration Reregistration
    {
        get => Volatile.Read(ref _rule);
        set => Volatile.Write(ref _rule, value);
    }

    public CoapEnvironment Environment => _shard.Environment;

    /// <summary>Starts the observation.</summary>
    /// <param name="adopted">The registration to take over; null: it registers.</param>
    public void Begin(AdoptedRegistration? adopted) =>
        Post(new ObservationEvent { Kind = ObservationEventKind.Begin, Adopted = adopted });

    public void OnReadersChanged() => Post(new ObservationEvent { Kind = ObservationEventKind.ReadersChanged });

    /// <summary>Registers again now, or joins a running registration.</summary>
    /// <param name="waiting">Receives the result.</param>
    public void Refresh(TaskCompletionSource<CoapResponse> waiting) =>
        Post(new ObservationEvent { Kind = ObservationEventKind.Refresh, Waiting = waiting });

    /// <summary>Returns what another process needs to take over the observation.</summary>
    /// <param name="waiting">Receives it; null if no other process can.</param>
    public void Keep(TaskCompletionSource<CoapKeptObservation?> waiting) =>
        Post(new ObservationEvent { Kind = ObservationEventKind.Keep, Keeping = waiting });

    TaskCreationOptions IObservationSource.CompletionOptions => Environment.CompletionOptions;

    object IObservationSource.Name => Target;

    void IObservationSource.Tell(Action<object?> complete, object state) => Environment.Tell(complete, state);

    void IObservationSource.Detach(CoapObservation reader, bool isLeft) => _all.Detach(this, reader, isLeft);

    void IObservationSource.OnObserverFailed(Exception exception)
    {
        Environment.Counters.Add(CoapCounter.HandlerErrors);
        ObservationLog.ObserverFailed(Environment.Logger, exception, Target);
    }

    /// <summary>Ends the observation after its last reader.</summary>
    /// <param name="isLeft">Whether another process takes it over, so that the server gets no message.</param>
    public void Cancel(bool isLeft) =>
        Post(new ObservationEvent { Kind = isLeft ? ObservationEventKind.Leave : ObservationEventKind.Cancel });

    public void Stop(CoapException why) => Post(new ObservationEvent { Kind = ObservationEventKind.Stop, Error = why });

    bool IStandingOwner.IsForwarded => Target.IsForwarded;

    void IStandingOwner.OnResponse(StandingRequest request, CoapResponse response, CoapTransmission? answered, bool isOrdered) =>
        Post(new ObservationEvent
        {
            Kind = ObservationEventKind.Response,
            Request = request,
            Response = response,
            Transmission = answered,
            IsOrdered = isOrdered
        });

    void IStandingOwner.OnRejected(StandingRequest request, CoapException error) =>
        Post(new ObservationEvent { Kind = ObservationEventKind.Rejected, Request = request, Error = error });

    void IStandingOwner.OnDisconnected(StandingRequest request, CoapConnectionException reason) =>
        Post(new ObservationEvent { Kind = ObservationEventKind.Disconnected, Request = request, Error = reason });

    void IStandingOwner.OnTransmission(CoapTransmission transmission, CoapInboundKind fate) =>
        Post(new ObservationEvent { Kind = ObservationEventKind.Transmission, Transmission = transmission, Fate = fate });

    internal override void Fire(long now) => _shard.AfterRelease(this);

    void IAfterRelease.OnReleased(CoapShard shard) => Post(new ObservationEvent { Kind = ObservationEventKind.Due });

    /// <summary>Handles an event, or leaves it to the thread that is busy with the observation. The caller must hold no lock.</summary>
    public void Post(in ObservationEvent happened)
    {
        _shard.Enter();
        try
        {
            if (_isBusy)
            {
                Wait(happened);
                return;
            }

            _isBusy = true;
        }
        finally
        {
            _shard.Exit();
        }

        Run(happened);
    }

    /// <summary>Sets the state for observers; they are notified after all waiting events. Only for the busy thread.</summary>
    public void Publish(CoapObserveState state, CoapException? error = null, CoapResponse? response = null, bool isOver = false)
    {
        ObservationSnapshot old = _snapshot;
        if (_isCounted)
        {
            _all.States.Remove(old.State);
            _all.States.Add(state);
        }

        if (_isLost && state == CoapObserveState.Observing)
        {
            _isLost = false;
            _all.States.AddRecovered(Target);
        }

        Volatile.Write(ref _snapshot,
            new ObservationSnapshot(state, response ?? old.Latest, error, response is null ? old.Version : old.Version + 1, isOver));
        _hasChanged = true;
        if (isOver)
        {
            StopCounting();
        }
        else if (state == CoapObserveState.Stale && error is null && !Reregistration.IsEnabled)
        {
            ReportLost("No notification arrived within Max-Age, and its options forbid another registration.");
        }
    }

    /// <summary>Reports that it is without a registration. Only for the busy thread.</summary>
    public void ReportLost(string reason)
    {
        ObservationLog.ObservationLost(Environment.Logger, Target, reason);
        if (!_isLost && _isCounted)
        {
            _isLost = true;
            _all.States.AddLost(Target, reason);
        }
    }

    /// <summary>Counts it no longer, because it ended. Only for the busy thread.</summary>
    public void StopCounting()
    {
        if (!_isCounted)
        {
            return;
        }

        _isCounted = false;
        _all.States.Remove(_snapshot.State);
        if (_isLost)
        {
            _isLost = false;
            _all.States.ForgetLost();
        }
    }

    // A slow block of a user under the busy thread must not accumulate notifications: the oldest is dropped, as if it had been lost.
    private void Wait(in ObservationEvent happened)
    {
        _waiting ??= [];
        if (_waiting.Count >= MaxWaiting
            && _waiting.FindIndex(static waiting => waiting is { Kind: ObservationEventKind.Response, Transmission: null }) is var oldest
                and >= 0)
        {
            _waiting.RemoveAt(oldest);
        }

        _waiting.Add(happened);
    }

    private void Run(ObservationEvent happened)
    {
        bool goesOn = true;
        while (goesOn)
        {
            try
            {
                Handle(happened, Environment.Now);
            }
#pragma warning disable CA1031 // rule of the mesh: no unexpected error may end a lasting observation
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Environment.Counters.Add(CoapCounter.StageErrors);
                Log.StageFailed(Environment.Logger, exception);
                _registration.Recover(exception);
            }

            if (_refreshes is not null && !_registration.IsTrying)
            {
                _refreshes.Complete(_snapshot, _registration.Phase == RegistrationPhase.Cancelling, Environment);
                _refreshes = null;
            }

            bool tells = _hasChanged;
            _hasChanged = false;
            _shard.Enter();
            try
            {
                goesOn = _waiting is { Count: > 0 };
                if (goesOn)
                {
                    happened = _waiting![0];
                    _waiting.RemoveAt(0);
                    _hasChanged = tells;
                    tells = false;
                }
                else
                {
                    _waiting = null;
                    _isBusy = false;
                    Arm(_registration.DueAt);
                }
            }
            finally
            {
                _shard.Exit();
            }

            if (tells)
            {
                foreach (CoapObservation reader in _all.ReadersOf(this))
                {
                    reader.OnChanged();
                }
            }
        }
    }

    private void Arm(long due)
    {
        if (due == long.MaxValue)
        {
            _shard.Wheel.Cancel(this);
        }
        else if (!IsScheduled || Due != due)
        {
            _shard.Wheel.Schedule(this, due);
        }
    }

    private void Handle(in ObservationEvent happened, long now)
    {
        switch (happened.Kind)
        {
            case ObservationEventKind.Begin when happened.Adopted is { } adopted:
                _registration.Adopt(adopted, now);
                break;
            case ObservationEventKind.Begin:
                _registration.Find(now);
                break;
            case ObservationEventKind.Due:
                _registration.OnDue(now);
                break;
            case ObservationEventKind.Found:
                _registration.OnFound(happened, now);
                break;
            case ObservationEventKind.Response:
                _notifications.OnResponse(happened, happened.Response!, now);
                break;
            case ObservationEventKind.Rejected:
                _registration.OnRejected(happened.Request!, happened.Error!, now);
                break;
            case ObservationEventKind.Disconnected:
                _registration.OnDisconnected(happened.Request!, (CoapConnectionException)happened.Error!, now);
                break;
            case ObservationEventKind.Transmission:
                _registration.OnTransmission(happened, now);
                break;
            case ObservationEventKind.Body:
                _notifications.OnBody(happened, now);
                break;
            case ObservationEventKind.ReadersChanged:
                _registration.OnReadersChanged(now);
                break;
            case ObservationEventKind.Refresh:
                (_refreshes ??= new ObservationRefreshes()).Add(happened.Waiting!);
                _registration.Refresh(now);
                break;
            case ObservationEventKind.Keep:
                ObservationKeeping.Tell(happened.Keeping!, this, _registration, now);
                break;
            case ObservationEventKind.Cancel or ObservationEventKind.Leave:
                _registration.Cancel(isLeft: happened.Kind == ObservationEventKind.Leave, now);
                break;
            case ObservationEventKind.Stop:
                _registration.End(CoapObserveState.Failed, happened.Error);
                break;
            default:
                break;
        }
    }
}
