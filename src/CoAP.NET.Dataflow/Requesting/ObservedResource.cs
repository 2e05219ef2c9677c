using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.Requesting;

/// <summary>
/// One observation of one resource, whoever shares it: registers, listens, notices when it was forgotten, registers again (RFC 7641 section 3). Whatever
/// happens is dealt with one thing after the other, by the thread that brought it or by one that is busy with the same observation, and never under a lock.
/// Its only timer is that of its shard's wheel.
/// </summary>
#pragma warning disable CA1001 // what fetches a body is disposed with the fetch, which ends with the observation at the latest
internal sealed partial class ObservedResource : WheelTimer, IStandingOwner
#pragma warning restore CA1001
{
    // Only what arrives while a thread is busy with the observation waits here, so a few are many.
    private const int MaxWaiting = 64;

    private readonly ObservedResources _all;
    private readonly IObservationPort _port;
    private readonly CoapShard _shard;

    // Guarded by Shard.Gate.
    private bool _isBusy;
    private List<Happening>? _waiting;

    // Belongs to whoever is busy.
    private bool _hasChanged;
    private long _due = long.MaxValue;

    private ObservationRefreshes? _refreshes;

    private ObservationSnapshot _snapshot = ObservationSnapshot.Initial;
    private CoapReregistration _rule = CoapReregistration.Auto;

    /// <summary>Those who share it. Guarded by the gate of <see cref="ObservedResources"/>.</summary>
    public ObservationReaders Readers;

    public ObservedResource(ObservationTarget target, ObservedResources all, IObservationPort port, CoapShard shard)
    {
        Target = target;
        _all = all;
        _port = port;
        _shard = shard;
    }

    private enum News : byte
    {
        Begin,
        Due,
        Found,
        Response,
        Rejected,
        Disconnected,
        Transmission,
        Body,
        ReadersChanged,
        Refresh,
        Cancel,
        Stop,
    }

    public ObservationTarget Target { get; }

    /// <summary>What observers see at this moment.</summary>
    public ObservationSnapshot Snapshot => Volatile.Read(ref _snapshot);

    /// <summary>What those who share it ask for. Written under the gate of <see cref="ObservedResources"/>.</summary>
    public CoapReregistration Reregistration
    {
        get => Volatile.Read(ref _rule);
        set => Volatile.Write(ref _rule, value);
    }

    public CoapEnvironment Environment => _shard.Environment;

    public void Begin() => Post(new Happening { What = News.Begin });

    public void OnReadersChanged() => Post(new Happening { What = News.ReadersChanged });

    /// <summary>Makes the registration again now, or joins the one that is under way.</summary>
    /// <param name="waiting">Ends with what came of it.</param>
    public void Refresh(TaskCompletionSource<CoapResponse> waiting) => Post(new Happening { What = News.Refresh, Subject = waiting });

    public void Cancel() => Post(new Happening { What = News.Cancel });

    public void Stop(CoapException why) => Post(new Happening { What = News.Stop, Subject = why });

    void IStandingOwner.OnResponse(StandingRequest request, CoapResponse response, CoapTransmission? answered, bool isOrdered) =>
        Post(new Happening { What = News.Response, Request = request, Subject = response, Transmission = answered, IsOrdered = isOrdered });

    void IStandingOwner.OnRejected(StandingRequest request, CoapException error) =>
        Post(new Happening { What = News.Rejected, Request = request, Subject = error });

    void IStandingOwner.OnDisconnected(StandingRequest request, CoapConnectionException reason) =>
        Post(new Happening { What = News.Disconnected, Request = request, Subject = reason });

    void IStandingOwner.OnTransmission(CoapTransmission transmission, CoapInboundKind fate) =>
        Post(new Happening { What = News.Transmission, Transmission = transmission, Fate = fate });

    internal override void Fire(long now) =>
        _shard.AfterRelease(static resource => ((ObservedResource)resource!).Post(new Happening { What = News.Due }), this);

    private void Post(in Happening happening)
    {
        _shard.Enter();
        try
        {
            if (_isBusy)
            {
                Wait(happening);
                return;
            }

            _isBusy = true;
        }
        finally
        {
            _shard.Exit();
        }

        Run(happening);
    }

    // A block of a user that takes its time under the busy thread must not have notifications pile up: the oldest goes, as it would if it had been lost.
    private void Wait(in Happening happening)
    {
        _waiting ??= [];
        if (_waiting.Count >= MaxWaiting && _waiting.FindIndex(static waiting => waiting is { What: News.Response, Transmission: null }) is var oldest and >= 0)
        {
            _waiting.RemoveAt(oldest);
        }

        _waiting.Add(happening);
    }

    private void Run(Happening happening)
    {
        bool goesOn = true;
        while (goesOn)
        {
            try
            {
                Handle(happening, Environment.Now);
            }
#pragma warning disable CA1031 // law of the mesh: nothing unexpected may end an observation that is to last
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Environment.Counters.Add(CoapCounter.StageErrors);
                Log.StageFailed(Environment.Logger, exception);
                Recover(exception);
            }

            if (_refreshes is not null && !IsTrying)
            {
                _refreshes.Complete(_snapshot, _phase == Phase.Cancelling, Environment);
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
                    happening = _waiting![0];
                    _waiting.RemoveAt(0);
                    _hasChanged = tells;
                    tells = false;
                }
                else
                {
                    _waiting = null;
                    _isBusy = false;
                    Arm();
                }
            }
            finally
            {
                _shard.Exit();
            }

            if (tells)
            {
                foreach (IObservationReader reader in _all.ReadersOf(this))
                {
                    reader.OnChanged();
                }
            }
        }
    }

    private void Arm()
    {
        if (_due == long.MaxValue)
        {
            _shard.Wheel.Cancel(this);
        }
        else if (!IsScheduled || Due != _due)
        {
            _shard.Wheel.Schedule(this, _due);
        }
    }

    private void Publish(CoapObserveState state, CoapException? error = null, CoapResponse? response = null, bool isOver = false)
    {
        ObservationSnapshot old = _snapshot;
        Volatile.Write(ref _snapshot, new ObservationSnapshot(state, response ?? old.Latest, error, response is null ? old.Version : old.Version + 1, isOver));
        _hasChanged = true;
    }

    /// <summary>Something that happened to the observation.</summary>
    private readonly struct Happening
    {
        public News What { get; init; }

        public CoapInboundKind Fate { get; init; }

        public bool IsOrdered { get; init; }

        public int Number { get; init; }

        public object? Subject { get; init; }

        public StandingRequest? Request { get; init; }

        public CoapTransmission? Transmission { get; init; }
    }
}
