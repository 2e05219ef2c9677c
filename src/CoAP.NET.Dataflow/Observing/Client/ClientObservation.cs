using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing.Client;

/// <summary>
/// One observation of one resource by this endpoint, which several readers may share (RFC 7641 section 3). Events are handled one after the
/// other, by the thread that raised the event or by one that is busy with the same observation, and never under a lock.
/// <see cref="ObserveClientRegistration"/> registers, detects a lost registration and registers again; <see cref="ClientNotifications"/>
/// handles the messages of the server. The only timer is that of the shard's wheel.
/// </summary>
internal sealed class ClientObservation : WheelTimer, ITokenOwner, IDeferredWork, IObservationNotificationSource
{
    // Only events during the work of another thread wait here, so a few are many.
    private const int MaxWaiting = 64;

    private readonly ClientObservations _all;
    private readonly CoapShard _shard;

    // Guarded by Shard.Gate.
    private bool _isBusy;
    private List<ClientObservationInput>? _waiting;

    // Owned by the busy thread.
    private bool _hasChanged;
    private bool _isCounted = true;
    private bool _isLost;

    // Callers that wait for another registration.
    private List<TaskCompletionSource<CoapResponse>>? _refreshes;

    // Written by the busy thread, read by all.
    private ObservationSnapshot _snapshot = ObservationSnapshot.Initial;

    private CoapReregistrationPolicy _rule = CoapReregistrationPolicy.Auto;

    // The readers of the observation: usually one, which needs no collection. The list is created only after a change. Guarded by the gate
    // of ClientObservations.
    private CoapObservation? _onlyReader;
    private HashSet<CoapObservation>? _readers;
    private CoapObservation[]? _readerList;

    public ClientObservation(ObservationTarget target, ClientObservations all, ClientObservationContext context, CoapShard shard)
    {
        Target = target;
        _all = all;
        _shard = shard;
        all.CountState(_snapshot.State, 1);
        Registration = new ObserveClientRegistration(this, all, context);
        Notifications = new ClientNotifications(this, Registration, context);
    }

    public ObserveClientRegistration Registration { get; }

    public ClientNotifications Notifications { get; }

    public ObservationTarget Target { get; }

    public ObservationSnapshot Snapshot => Volatile.Read(ref _snapshot);

    /// <summary>The re-registration rule of its readers. Written under the gate of <see cref="ClientObservations"/>.</summary>
    public CoapReregistrationPolicy Reregistration
    {
        get => Volatile.Read(ref _rule);
        set => Volatile.Write(ref _rule, value);
    }

    public CoapEnvironment Environment => _shard.Environment;

    /// <summary>The number of readers. Guarded by the gate of <see cref="ClientObservations"/>, like all members for readers.</summary>
    public int ReaderCount => _readers?.Count ?? (_onlyReader is null ? 0 : 1);

    public IReadOnlyList<CoapObservation> Readers =>
        _readerList ??= _readers is null ? _onlyReader is null ? [] : [_onlyReader] : [.. _readers];

    public void AddReader(CoapObservation reader)
    {
        if (_readers is null && _onlyReader is null)
        {
            _onlyReader = reader;
        }
        else
        {
            _readers ??= [_onlyReader!];
            _readers.Add(reader);
            _onlyReader = null;
        }

        _readerList = null;
    }

    public void RemoveReader(CoapObservation reader)
    {
        if (ReferenceEquals(_onlyReader, reader))
        {
            _onlyReader = null;
        }

        _readers?.Remove(reader);
        _readerList = null;
    }

    /// <summary>Starts the observation.</summary>
    /// <param name="start">Takes over a registration of an earlier process; null: it registers.</param>
    public void Begin(Action<ObserveClientRegistration, long>? start) => Post(new ClientObservationInput
    {
        Handle = start is null
            ? static (observation, _, now) => observation.Registration.Find(now)
            : (observation, _, now) => start(observation.Registration, now),
    });

    public void OnReadersChanged() => Post(new ClientObservationInput
    {
        Handle = static (observation, _, now) => observation.Registration.OnReadersChanged(now),
    });

    /// <summary>Registers again now, or joins a running registration.</summary>
    public void Refresh(TaskCompletionSource<CoapResponse> waiting) => Post(new ClientObservationInput
    {
        Handle = (observation, _, now) =>
        {
            (observation._refreshes ??= []).Add(waiting);
            observation.Registration.Refresh(now);
        },
    });

    /// <summary>Returns what another process needs to take over the observation.</summary>
    /// <param name="waiting">Receives it; null if no other process can.</param>
    public void Export(TaskCompletionSource<CoapExportedObservation?> waiting) => Post(new ClientObservationInput
    {
        Handle = (observation, _, now) => observation.Environment.Report(
            static state =>
            {
                (TaskCompletionSource<CoapExportedObservation?> waiting, CoapExportedObservation? kept) =
                    ((TaskCompletionSource<CoapExportedObservation?>, CoapExportedObservation?))state!;
                waiting.TrySetResult(kept);
            },
            (waiting, observation.Registration.Export(now))),
    });

    TaskCreationOptions IObservationNotificationSource.CompletionOptions => Environment.CompletionOptions;

    object IObservationNotificationSource.Name => Target;

    void IObservationNotificationSource.Report(Action<object?> complete, object state) => Environment.Report(complete, state);

    void IObservationNotificationSource.Detach(CoapObservation reader, bool isLeft) => _all.Detach(this, reader, isLeft);

    void IObservationNotificationSource.OnObserverFailed(Exception exception)
    {
        Environment.Counters.Add(CoapCounter.HandlerErrors);
        ObservationLog.ObserverFailed(Environment.Logger, exception, Target);
    }

    /// <summary>Ends the observation after its last reader.</summary>
    /// <param name="isLeft">Whether another process takes it over, so that the server gets no message.</param>
    public void Cancel(bool isLeft) =>
        Post(new ClientObservationInput { Handle = (observation, _, now) => observation.Registration.Cancel(isLeft, now) });

    public void Stop(CoapException why) => Post(new ClientObservationInput
    {
        Handle = (observation, _, _) => observation.Registration.End(CoapObserveState.Failed, why),
    });

    bool ITokenOwner.IsForwarded => Target.IsForwarded;

    void ITokenOwner.OnResponse(MultiResponseToken request, CoapResponse response, CoapTransmission? answered, bool isOrdered) =>
        Post(new ClientObservationInput
        {
            Handle = static (observation, happened, now) => observation.Notifications.OnResponse(happened, now),
            Request = request,
            Response = response,
            Transmission = answered,
            IsOrdered = isOrdered,
        });

    void ITokenOwner.OnRejected(MultiResponseToken request, CoapException error) =>
        Post(new ClientObservationInput
        {
            Handle = static (observation, happened, now) =>
                observation.Registration.OnRejected(happened.Request!, happened.Error!, now),
            Request = request,
            Error = error,
        });

    void ITokenOwner.OnDisconnected(MultiResponseToken request, CoapConnectionException reason) =>
        Post(new ClientObservationInput
        {
            Handle = static (observation, happened, now) =>
                observation.Registration.OnDisconnected(happened.Request!, (CoapConnectionException)happened.Error!, now),
            Request = request,
            Error = reason,
        });

    void ITokenOwner.OnTransmission(CoapTransmission transmission, CoapInboundKind fate) =>
        Post(new ClientObservationInput
        {
            Handle = static (observation, happened, now) => observation.Registration.OnTransmission(happened, now),
            Transmission = transmission,
            TransmissionEnd = fate,
        });

    internal override void Fire(long now) => _shard.AfterRelease(this);

    void IDeferredWork.OnReleased(CoapShard shard) =>
        Post(new ClientObservationInput { Handle = static (observation, _, now) => observation.Registration.OnDue(now) });

    /// <summary>Handles an event, or leaves it to the thread that is busy with the observation. The caller must hold no lock.</summary>
    public void Post(in ClientObservationInput happened)
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
            _shard.ExitAndSend();
        }

        Run(happened);
    }

    /// <summary>Sets the state for observers; they are notified after all waiting events. Only for the busy thread.</summary>
    public void Publish(CoapObserveState state, CoapException? error = null, CoapResponse? response = null, bool isOver = false)
    {
        ObservationSnapshot old = _snapshot;
        if (_isCounted)
        {
            _all.CountState(old.State, -1);
            _all.CountState(state, 1);
        }

        if (_isLost && state == CoapObserveState.Observing)
        {
            _isLost = false;
            _all.AddRecovered(Target);
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
            _all.AddLost(Target, reason);
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
        _all.CountState(_snapshot.State, -1);
        if (_isLost)
        {
            _isLost = false;
            _all.ForgetLost();
        }
    }

    // A slow block of a user under the busy thread must not accumulate notifications: the oldest is dropped, as if it had been lost.
    private void Wait(in ClientObservationInput happened)
    {
        _waiting ??= [];
        if (_waiting.Count >= MaxWaiting
            && _waiting.FindIndex(static waiting => waiting.IsNotification) is var oldest and >= 0)
        {
            _waiting.RemoveAt(oldest);
        }

        _waiting.Add(happened);
    }

    private void Run(ClientObservationInput happened)
    {
        bool goesOn = true;
        while (goesOn)
        {
            try
            {
                happened.Handle(this, happened, Environment.Now);
            }
#pragma warning disable CA1031 // rule of the mesh: no unexpected error may end a lasting observation
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Environment.Counters.Add(CoapCounter.StageErrors);
                Log.StageFailed(Environment.Logger, exception);
                Registration.Recover(exception);
            }

            if (_refreshes is not null && !Registration.IsTrying)
            {
                _refreshes.ForEach(CompleteRefresh);
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
                    Arm(Registration.DueAt);
                }
            }
            finally
            {
                _shard.ExitAndSend();
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

    // A registration has ended, or the observation is over.
    private void CompleteRefresh(TaskCompletionSource<CoapResponse> waiting) => Environment.Report(
        static state =>
        {
            (TaskCompletionSource<CoapResponse> waiting, ObservationSnapshot outcome, bool isCancelled) =
                ((TaskCompletionSource<CoapResponse>, ObservationSnapshot, bool))state!;
            if (isCancelled)
            {
                waiting.TrySetException(new ObjectDisposedException(nameof(CoapObservation)));
            }
            else if (outcome is { IsOver: false, Error: null or CoapResponseException, Latest: { } latest })
            {
                waiting.TrySetResult(latest);
            }
            else
            {
                waiting.TrySetException(outcome.Error ?? new CoapException("The observation has ended."));
            }
        },
        (waiting, _snapshot, Registration.Phase is RegistrationPhase.Cancelling or RegistrationPhase.Released));
}
