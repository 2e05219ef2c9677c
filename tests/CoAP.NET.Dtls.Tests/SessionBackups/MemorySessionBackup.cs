namespace CoAP.NET.Dtls.Tests.SessionBackups;

/// <summary>Keeps sessions in memory, for longer than a server lives.</summary>
internal sealed class MemorySessionBackup : ICoapDtlsSessionBackup
{
    public static readonly byte[] Key = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    private CoapDtlsSessionLoader? _loader;

    /// <summary>What is kept.</summary>
    public Dictionary<ulong, ReadOnlyMemory<byte>> States { get; } = [];

    /// <summary>What the server said: all batches.</summary>
    public List<CoapDtlsSessionChange[]> Batches { get; } = [];

    /// <summary>What the loader said of each state.</summary>
    public List<CoapDtlsSessionLoad> Loads { get; } = [];

    /// <summary>Called before a batch is kept; may throw, refuse or wait.</summary>
    public Func<IReadOnlyList<CoapDtlsSessionChange>, ValueTask>? BeforeSaving { get; set; }

    /// <summary>After how many states the start fails, as when the store goes away while it is read.</summary>
    public int? FailsAfter { get; set; }

    /// <summary>A defect: whether a batch is confirmed and not kept.</summary>
    public Func<IReadOnlyList<CoapDtlsSessionChange>, bool>? Loses { get; set; }

    public bool HasStopped { get; private set; }

    public IEnumerable<CoapDtlsSessionChangeKind> Kinds => Batches.SelectMany(batch => batch).Select(change => change.Kind);

    public CoapDtlsSessionLoader Loader => _loader ?? throw new InvalidOperationException("not started");

    /// <summary>How many sessions are kept; thread-safe.</summary>
    public int Count
    {
        get
        {
            lock (States)
            {
                return States.Count;
            }
        }
    }

    /// <summary>Another one that has what this one has, and hears nothing more of the server of this one: what is there after a
    /// crash.</summary>
    public MemorySessionBackup AfterCrash()
    {
        MemorySessionBackup after = new();
        lock (States)
        {
            foreach ((ulong id, ReadOnlyMemory<byte> state) in States)
            {
                after.States.Add(id, state);
            }
        }

        BeforeSaving = _ => ValueTask.FromException(new IOException("This process has crashed."));
        return after;
    }

    /// <summary>Ends what a backup waits for, without a context, so that all that follows goes on within the call.</summary>
    /// <param name="complete">Ends it.</param>
    public static void Complete(Action complete)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            complete();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }
    }

    public CoapDtlsSessionBackupOptions Options() => new(this, Key);

    public ValueTask StartAsync(CoapDtlsSessionLoader loader, CancellationToken cancellationToken)
    {
        _loader = loader;
        ReadOnlyMemory<byte>[] states = [.. States.Values];
        foreach (ReadOnlyMemory<byte> state in states.Take(FailsAfter ?? states.Length))
        {
            Loads.Add(loader.TryLoad(state.Span));
        }

        return FailsAfter is null ? default : ValueTask.FromException(new IOException("The store has gone away."));
    }

    public async ValueTask SaveAsync(IReadOnlyList<CoapDtlsSessionChange> changes, CancellationToken cancellationToken)
    {
        Batches.Add([.. changes]);
        if (BeforeSaving is { } before)
        {
            await before(changes).ConfigureAwait(false);
        }

        if (Loses?.Invoke(changes) != true)
        {
            Apply(changes);
        }
    }

    public ValueTask StopAsync(CancellationToken cancellationToken)
    {
        HasStopped = true;
        return default;
    }

    public void Apply(IReadOnlyList<CoapDtlsSessionChange> changes)
    {
        lock (States)
        {
            foreach (CoapDtlsSessionChange change in changes.Where(change => !change.IsRefused))
            {
                ulong id = System.Buffers.Binary.BinaryPrimitives.ReadUInt64BigEndian(change.Id.Span);
                if (change.Kind == CoapDtlsSessionChangeKind.Ended)
                {
                    States.Remove(id);
                }
                else
                {
                    States[id] = change.State;
                }
            }
        }
    }
}
