namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>
/// A server with a few sessions that crashes and stops at points of chance, and a store that takes its time, fails, and may have kept or
/// not kept what was under way. Looks at the wire: numbers of a key only ever rise.
/// </summary>
/// <param name="seed">Decides all of it.</param>
/// <param name="confirmsTooEarly">A defect of the store: it confirms what a crash undoes.</param>
internal sealed class CrashRun(int seed, bool confirmsTooEarly = false)
{
    private const int Hosts = 3;

#pragma warning disable CA5394 // to be replayed, not to be secret
    private readonly Random _random = new(seed);
#pragma warning restore CA5394
    private readonly Dictionary<DtlsPath, ulong> _last = [];
    private readonly VirtualClock _clock = new();
    private SessionRig _rig = null!;
    private MemorySessionBackup _backup = new();
    private (IReadOnlyList<CoapDtlsSessionChange> Changes, TaskCompletionSource Done)? _inProgress;

    /// <summary>What is wrong; null: nothing.</summary>
    public string? Problem { get; private set; }

    /// <summary>How many records were sent by sessions that had been loaded.</summary>
    public int SentAfterCrash { get; private set; }

    public int Crashes { get; private set; }

    public async Task<CrashRun> RunAsync(int steps)
    {
        Start();
        for (int host = 1; host <= Hosts; host++)
        {
            _rig.Open(host, withCid: host != 1);
        }

        for (int step = 0; step < steps && Problem is null; step++)
        {
            await StepAsync();
        }

        End(isApplied: true, hasFailed: false);
        _rig.Dispose();
        return this;
    }

    private async Task StepAsync()
    {
        switch (Next(12))
        {
            case < 5:
                Send();
                break;
            case < 8:
                _clock.Advance(FromMilliseconds(Next(8_000)));
                _rig.Server.Tick();
                break;
            case < 11:
                End(isApplied: Next(2) == 0, hasFailed: Next(3) == 0);
                break;
            default:
                await CrashAsync();
                break;
        }
    }

    private void Send()
    {
        foreach (DtlsSession session in _rig.Opened.Where(session => !session.IsClosed))
        {
            // Far enough for reserves to be used up, and sometimes just before their end.
            if (session.Send([1]) && Next(2) == 0)
            {
                session.SkipTo(_last[session.Path] + 1 + (ulong)Next((int)RecordLayer.NumbersOfReserve / 2));
            }

            for (int i = Next(20); i >= 0; i--)
            {
                session.Send([1]);
            }
        }
    }

    private async Task CrashAsync()
    {
        Crashes++;
        if (Next(4) == 0)
        {
            // A stop: the store is there.
            _backup.BeforeSaving = null;
            End(isApplied: true, hasFailed: false);
            await _rig.Server.SessionBackup!.StopAsync();
        }
        else if (_inProgress is { } underWay && Next(2) == 0)
        {
            _backup.Apply(underWay.Changes);
        }

        MemorySessionBackup left = _backup.AfterCrash();
        _inProgress?.Done.TrySetException(new IOException("This process has crashed."));
        _inProgress = null;
        _rig.OnSent = null;
        _rig.Dispose();
        _backup = left;
        Start();
    }

    private void Start()
    {
        SessionRig rig = new(clock: _clock, backupOptions: _backup.Options(), seed: (ulong)Next(int.MaxValue)) { OnSent = OnSent };
        _rig = rig;

        // The first batch has the numbers of those that were loaded: it takes its time too.
        _backup.BeforeSaving = changes =>
        {
            TaskCompletionSource done = new(TaskCreationOptions.None);
            _inProgress = (changes, done);
            return new ValueTask(done.Task);
        };
        _backup.Loses = confirmsTooEarly ? _ => Next(2) == 0 : null;
        ValueTask<int> starting = rig.Server.SessionBackup!.StartAsync(default);
        if (Next(2) == 0)
        {
            End(isApplied: true, hasFailed: false);
        }

        _ = starting.AsTask();
        if (_rig.Opened.IsEmpty && Crashes > 0)
        {
            for (int host = 1; host <= Hosts; host++)
            {
                // Their keys are used up, or were not confirmed in time: others, as of new handshakes.
                _rig.Open(host + (Hosts * Crashes), withCid: host != 1);
            }
        }
    }

    private void End(bool isApplied, bool hasFailed)
    {
        while (_inProgress is { } underWay)
        {
            _inProgress = null;
            if (hasFailed)
            {
                if (isApplied)
                {
                    _backup.Apply(underWay.Changes);
                }

                MemorySessionBackup.Complete(() => underWay.Done.SetException(new IOException("The store is away.")));
            }
            else
            {
                MemorySessionBackup.Complete(underWay.Done.SetResult);
            }
        }
    }

    private void OnSent(DtlsPath path, byte[] datagram)
    {
        if (!RecordHeader.TryRead(datagram, 0, out RecordHeader header))
        {
            return;
        }

        if (_last.TryGetValue(path, out ulong last) && header.Sequence <= last)
        {
            Problem ??= $"seed {seed}: number {header.Sequence} was sent after {last} with the keys of {path.Remote}";
        }

        _last[path] = header.Sequence;
        SentAfterCrash += Crashes > 0 ? 1 : 0;
    }

#pragma warning disable CA5394 // to be replayed, not to be secret
    private int Next(int below) => _random.Next(below);
#pragma warning restore CA5394
}
