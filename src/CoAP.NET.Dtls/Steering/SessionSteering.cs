using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Steering;

/// <summary>
/// Connects a server to its <see cref="ICoapDtlsSteering"/>: offers it datagrams without a session here, and receives those that it
/// supplies. Thread-safe; runs no callbacks under its lock.
/// </summary>
/// <param name="steering">Decides on slots and relays datagrams.</param>
/// <param name="server">The server.</param>
/// <param name="sessions">Its sessions.</param>
/// <param name="time">The clock.</param>
internal sealed class SessionSteering(ICoapDtlsSteering steering, DtlsServer server, SessionTable sessions, TimeProvider time)
{
    /// <summary>Maximum length of the name of a server.</summary>
    public const int MaxViaName = 64;

    private readonly Lock _gate = new();

    // The pending releases, and the number begun so far.
    private readonly Task?[] _releases = new Task?[SessionCountPerSlot.Slots];
    private readonly int[] _begun = new int[SessionCountPerSlot.Slots];
    private readonly ForeignClientPathCache _heard = new(server.Random);
    private bool _isOpen;

    // A timestamp; the largest means no end, and saves reading the clock.
    private long _servesUntil = long.MaxValue;

    /// <summary>Maximum length of a datagram that another server relays.</summary>
    public required int MaxDatagram { get; init; }

    /// <summary>The sockets of the server; null if it has none of its own.</summary>
    public CoapUdpTransport? Sockets { get; init; }

    /// <summary>Runs when the steering threw, with the exception.</summary>
    public Action<Exception>? Failed { get; init; }

    /// <summary>Whether the server processes datagrams now (<see cref="CoapDtlsSteeringContext.ServeFor"/>).</summary>
    public bool IsServing => Volatile.Read(ref _servesUntil) is var until && (until == long.MaxValue || time.GetTimestamp() < until);

    /// <inheritdoc cref="CoapDtlsSteeringContext.ServeFor"/>
    public void ServeFor(TimeSpan span)
    {
        // Limits the value to the range of a timestamp.
        double ticks = span.TotalSeconds * time.TimestampFrequency;
        long now = time.GetTimestamp();
        bool isEndless = span == Timeout.InfiniteTimeSpan || ticks >= long.MaxValue - now;
        Volatile.Write(ref _servesUntil, isEndless ? long.MaxValue : now + (long)ticks);
    }

    /// <summary>Gives the steering its port.</summary>
    public void Start() => steering.Start(new CoapDtlsSteeringContext(this));

    /// <summary>Handles the start of the sockets: the server can answer relayed datagrams.</summary>
    public void Open() => Volatile.Write(ref _isOpen, true);

    /// <summary>Handles the stop of the server.</summary>
    public void Close() => Volatile.Write(ref _isOpen, false);

    /// <summary>Gets a slot for a new session.</summary>
    /// <returns>The slot; null for none.</returns>
    public ClusterSlotPermit? SlotOfNew()
    {
        try
        {
            if (steering.SlotOfNewSession() is { } slot)
            {
                ClusterSlotPermit grant = new(slot, Volatile.Read(ref _begun[slot]));
                return Volatile.Read(ref _releases[slot]) is null ? grant : null;
            }
        }
#pragma warning disable CA1031 // the server continues after any exception of user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
        }

        return null;
    }

    /// <inheritdoc cref="CoapDtlsSteeringContext.Send"/>
    public bool Send(in CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        if (!IsPossible(remote, datagram.Length))
        {
            return false;
        }

        server.Sink.Send(_heard.PathTo(remote), datagram);
        return true;
    }

    /// <summary>Whether the slot of a future session is still here.</summary>
    /// <param name="grant">The result of <see cref="SlotOfNew"/>.</param>
    public bool Holds(ClusterSlotPermit grant) => Volatile.Read(ref _begun[grant.Slot]) == grant.Releases;

    /// <summary>Offers the steering a datagram without a session here.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">The datagram, unmodified.</param>
    /// <returns>Whether the steering took it.</returns>
    public bool TryRelay(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        try
        {
            // The answer may arrive before the call returns.
            _heard.Note(path);
            return steering.TryRelay(SlotOf(datagram), path.Remote, datagram);
        }
#pragma warning disable CA1031 // the server continues after any exception of user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return false;
        }
    }

    /// <summary>Offers the steering a record for the next server of its session.</summary>
    /// <param name="session">The session, which has a Connection ID.</param>
    /// <param name="path">The path that it came from.</param>
    /// <param name="record">The record, unmodified.</param>
    /// <returns>Whether the steering holds it.</returns>
    public bool TryEnqueue(DtlsSessionWithBackup session, in DtlsPath path, ReadOnlySpan<byte> record)
    {
        try
        {
            return session.HasCid && steering.TryEnqueue(path.Via, session.OwnCid[0], path.Remote, record);
        }
#pragma warning disable CA1031 // the server continues after any exception of user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return false;
        }
    }

    /// <summary>Sends a datagram through another server.</summary>
    /// <param name="path">The path.</param>
    /// <param name="datagram">The datagram.</param>
    /// <returns>Whether the steering took it.</returns>
    public bool TrySend(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        try
        {
            return steering.TrySendVia(path.Via, path.Remote, datagram);
        }
#pragma warning disable CA1031 // the server continues after any exception of user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return false;
        }
    }

    /// <summary>Writes the name of the relaying server of a path.</summary>
    /// <param name="path">The path.</param>
    /// <param name="name">Receives the name: <see cref="MaxViaName"/> bytes.</param>
    /// <returns>Its length in bytes; 0 for none.</returns>
    public int NameVia(in DtlsPath path, Span<byte> name)
    {
        try
        {
            return Math.Clamp(steering.NameVia(path.Via, name), 0, name.Length);
        }
#pragma warning disable CA1031 // the server continues after any exception of user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return 0;
        }
    }

    /// <summary>Returns the number of a server by its name.</summary>
    /// <param name="name">The name.</param>
    /// <returns>The number; 0 if no path leads through it.</returns>
    public int ViaOf(ReadOnlySpan<byte> name)
    {
        try
        {
            return steering.ViaOf(name);
        }
#pragma warning disable CA1031 // the server continues after any exception of user code
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return 0;
        }
    }

    /// <inheritdoc cref="CoapDtlsSteeringContext.Receive"/>
    public bool Receive(int via, in CoapAddress remote, Span<byte> datagram)
    {
        bool isOfUse = IsPossible(remote, datagram.Length)
            && server.Receive(new DtlsPath(remote, default, 0, via), datagram, isSteered: true);
        if (!isOfUse)
        {
            server.Counters.AddRejected();
        }

        return isOfUse;
    }

    /// <inheritdoc cref="CoapDtlsSteeringContext.ReleaseAsync"/>
    public Task ReleaseAsync(byte slot, CancellationToken cancellationToken)
    {
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_releases[slot] is { } running)
            {
                return running.WaitAsync(cancellationToken);
            }

            Volatile.Write(ref _releases[slot], done.Task);
            Interlocked.Increment(ref _begun[slot]);
        }

        _ = RunAsync();
        return done.Task;

        async Task RunAsync()
        {
            try
            {
                await ReleaseSessionsAsync(slot, cancellationToken).ConfigureAwait(false);
                End(slot);
                done.SetResult();
            }
#pragma warning disable CA1031 // the caller gets the exception
            catch (Exception exception)
#pragma warning restore CA1031
            {
                End(slot);
                done.SetException(exception);
            }
        }
    }

    /// <inheritdoc cref="CoapDtlsSteeringContext.SessionsOf"/>
    public int SessionsOf(byte slot) => sessions.CountOf(slot);

    private async Task ReleaseSessionsAsync(byte slot, CancellationToken cancellationToken)
    {
        await server.GiveUpHandshakesAsync(slot).ConfigureAwait(false);

        // Another release of the slot may run at the same time: another server may have taken it, and given it back.
        IReadOnlyList<DtlsSession> released = [.. sessions.Of(slot)];
        using (CancellationTokenSource grace = new(CoapDtlsSteeringContext.GracePeriod, time))
        using (cancellationToken.Register(grace.Cancel))
        {
            // Sessions with slow requests do not delay service to others.
            await FinishAsync(released.Where(server.Sink.IsBusy), grace.Token).ConfigureAwait(false);
            await FinishAsync(released.Where(static session => !session.IsClosed), grace.Token).ConfigureAwait(false);
        }

        await server.SessionBackup!.ReleaseAsync(
            released.OfType<DtlsSessionWithBackup>().Where(static session => !session.IsClosed), cancellationToken).ConfigureAwait(false);
    }

    private async Task FinishAsync(IEnumerable<DtlsSession> those, CancellationToken cancellationToken)
    {
        List<Task> waits = [];
        foreach (DtlsSession session in those)
        {
            (session as DtlsSessionWithBackup)?.IsRetiring = true;
            if (server.Sink.FinishAsync(session, cancellationToken) is { IsCompleted: false } wait)
            {
                waits.Add(wait);
            }
        }

        await Task.WhenAll(waits).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    // No client can have this address, so an answer would reach none.
    private bool IsPossible(in CoapAddress remote, int length) =>
        Volatile.Read(ref _isOpen) && length > 0 && length <= MaxDatagram && remote is { Port: > 0, IsAny: false, IsMulticast: false };

    private void End(byte slot)
    {
        lock (_gate)
        {
            Volatile.Write(ref _releases[slot], null);
        }
    }

    // The slot of a handshake is in its last record.
    private static byte? SlotOf(ReadOnlySpan<byte> datagram)
    {
        while (RecordHeader.TryRead(datagram, DtlsServer.CidLength, out RecordHeader header))
        {
            if (header.Type == ContentType.Tls12Cid)
            {
                return header.Cid(datagram)[0];
            }

            datagram = datagram[(header.HeaderLength + header.Length)..];
        }

        return null;
    }
}
