using CoAP.NET.Dtls.Keeping;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Steering;

/// <summary>
/// Between a server of sessions and its <see cref="ICoapDtlsSteering"/>: what is of no session here is offered to it, and what it brings is
/// received. Thread-safe; calls nobody under its lock.
/// </summary>
/// <param name="steering">Knows what is where.</param>
/// <param name="server">The server.</param>
/// <param name="sessions">Its sessions.</param>
/// <param name="time">The clock.</param>
internal sealed class SessionSteering(ICoapDtlsSteering steering, DtlsServer server, SessionTable sessions, TimeProvider time)
{
    /// <summary>How long the name of a server is at most.</summary>
    public const int MaxViaName = 64;

    private readonly Lock _gate = new();

    // Those that are under way, and how many were begun.
    private readonly Task?[] _releases = new Task?[SlotCounts.Slots];
    private readonly int[] _begun = new int[SlotCounts.Slots];
    private readonly HeardPaths _heard = new(server.Random);
    private bool _isOpen;

    // A timestamp; the largest for no end, which costs no look at the clock.
    private long _servesUntil = long.MaxValue;

    /// <summary>How long a datagram may be that another server relays.</summary>
    public required int MaxDatagram { get; init; }

    /// <inheritdoc cref="CoapDtlsSteeringPort.GracePeriod"/>
    public TimeSpan GracePeriod { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The sockets of the server; null: it has none of its own.</summary>
    public CoapUdpTransport? Sockets { get; init; }

    /// <summary>Told what the steering threw.</summary>
    public Action<Exception>? Failed { get; init; }

    /// <summary>Whether datagrams are taken now (<see cref="CoapDtlsSteeringPort.ServeFor"/>).</summary>
    public bool IsServing => Volatile.Read(ref _servesUntil) is var until && (until == long.MaxValue || time.GetTimestamp() < until);

    /// <inheritdoc cref="CoapDtlsSteeringPort.ServeFor"/>
    public void ServeFor(TimeSpan span)
    {
        // Not beyond what a timestamp can say.
        double ticks = span.TotalSeconds * time.TimestampFrequency;
        long now = time.GetTimestamp();
        bool isEndless = span == Timeout.InfiniteTimeSpan || ticks >= long.MaxValue - now;
        Volatile.Write(ref _servesUntil, isEndless ? long.MaxValue : now + (long)ticks);
    }

    /// <summary>Gives the steering what it needs.</summary>
    public void Start() => steering.Start(new CoapDtlsSteeringPort(this));

    /// <summary>The sockets are there: what was relayed can be answered.</summary>
    public void Open() => Volatile.Write(ref _isOpen, true);

    /// <summary>The server stops.</summary>
    public void Close() => Volatile.Write(ref _isOpen, false);

    /// <summary>A slot for a session that is about to be made.</summary>
    /// <returns>The slot; null when there is none.</returns>
    public SlotGrant? SlotOfNew()
    {
        try
        {
            if (steering.SlotOfNewSession() is { } slot)
            {
                SlotGrant grant = new(slot, Volatile.Read(ref _begun[slot]));
                return Volatile.Read(ref _releases[slot]) is null ? grant : null;
            }
        }
#pragma warning disable CA1031 // whatever the code of users throws: the server goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
        }

        return null;
    }

    /// <inheritdoc cref="CoapDtlsSteeringPort.Send"/>
    public bool Send(in CoapAddress remote, ReadOnlySpan<byte> datagram)
    {
        if (!IsPossible(remote, datagram.Length))
        {
            return false;
        }

        server.Sink.Send(_heard.PathTo(remote), datagram);
        return true;
    }

    /// <summary>Whether the slot of a session that is about to be made is still here.</summary>
    /// <param name="grant">What <see cref="SlotOfNew"/> gave.</param>
    public bool Holds(SlotGrant grant) => Volatile.Read(ref _begun[grant.Slot]) == grant.Releases;

    /// <summary>Offers a datagram of which nobody here knows.</summary>
    /// <param name="path">How it came.</param>
    /// <param name="datagram">The datagram, as it came.</param>
    /// <returns>Whether it was taken.</returns>
    public bool TryRelay(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        try
        {
            // The answer may come before the call returns.
            _heard.Note(path);
            return steering.TryRelay(SlotOf(datagram), path.Remote, datagram);
        }
#pragma warning disable CA1031 // whatever the code of users throws: the server goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return false;
        }
    }

    /// <summary>Has a record kept that is for whoever has its session next.</summary>
    /// <param name="session">The session, which has a Connection ID.</param>
    /// <param name="path">How it came.</param>
    /// <param name="record">The record, as it came.</param>
    /// <returns>Whether it is kept.</returns>
    public bool TryHold(KeptDtlsSession session, in DtlsPath path, ReadOnlySpan<byte> record)
    {
        try
        {
            return session.HasCid && steering.TryHold(path.Via, session.OwnCid[0], path.Remote, record);
        }
#pragma warning disable CA1031 // whatever the code of users throws: the server goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return false;
        }
    }

    /// <summary>Sends a datagram by way of another server.</summary>
    /// <param name="path">The way.</param>
    /// <param name="datagram">The datagram.</param>
    /// <returns>Whether that was possible.</returns>
    public bool TrySend(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        try
        {
            return steering.TrySendVia(path.Via, path.Remote, datagram);
        }
#pragma warning disable CA1031 // whatever the code of users throws: the server goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return false;
        }
    }

    /// <summary>Writes the name of the server that a way leads by.</summary>
    /// <param name="path">The way.</param>
    /// <param name="name">Takes it: <see cref="MaxViaName"/> bytes.</param>
    /// <returns>How many bytes it has; 0: it has none.</returns>
    public int NameVia(in DtlsPath path, Span<byte> name)
    {
        try
        {
            return Math.Clamp(steering.NameVia(path.Via, name), 0, name.Length);
        }
#pragma warning disable CA1031 // whatever the code of users throws: the server goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return 0;
        }
    }

    /// <summary>The number of a server by its name.</summary>
    /// <param name="name">The name.</param>
    /// <returns>The number; 0: no way leads by it.</returns>
    public int ViaOf(ReadOnlySpan<byte> name)
    {
        try
        {
            return steering.ViaOf(name);
        }
#pragma warning disable CA1031 // whatever the code of users throws: the server goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Failed?.Invoke(exception);
            return 0;
        }
    }

    /// <inheritdoc cref="CoapDtlsSteeringPort.Receive"/>
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

    /// <inheritdoc cref="CoapDtlsSteeringPort.ReleaseAsync"/>
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
#pragma warning disable CA1031 // it is the caller's
            catch (Exception exception)
#pragma warning restore CA1031
            {
                End(slot);
                done.SetException(exception);
            }
        }
    }

    /// <inheritdoc cref="CoapDtlsSteeringPort.SessionsOf"/>
    public int SessionsOf(byte slot) => sessions.CountOf(slot);

    private async Task ReleaseSessionsAsync(byte slot, CancellationToken cancellationToken)
    {
        await server.GiveUpHandshakesAsync(slot).ConfigureAwait(false);

        // Others of the slot may come here meanwhile: another server may have taken it, and given it back.
        IReadOnlyList<DtlsSession> released = [.. sessions.Of(slot)];
        using (CancellationTokenSource grace = new(GracePeriod, time))
        using (cancellationToken.Register(grace.Cancel))
        {
            // Those that take long keep nobody else from being served.
            await FinishAsync(released.Where(server.Sink.IsBusy), grace.Token).ConfigureAwait(false);
            await FinishAsync(released.Where(static session => !session.IsClosed), grace.Token).ConfigureAwait(false);
        }

        await server.Keeper!.ReleaseAsync(
            released.OfType<KeptDtlsSession>().Where(static session => !session.IsClosed), cancellationToken).ConfigureAwait(false);
    }

    private async Task FinishAsync(IEnumerable<DtlsSession> those, CancellationToken cancellationToken)
    {
        List<Task> waits = [];
        foreach (DtlsSession session in those)
        {
            (session as KeptDtlsSession)?.IsRetiring = true;
            if (server.Sink.FinishAsync(session, cancellationToken) is { IsCompleted: false } wait)
            {
                waits.Add(wait);
            }
        }

        await Task.WhenAll(waits).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    // Nobody answers where nobody can be.
    private bool IsPossible(in CoapAddress remote, int length) =>
        Volatile.Read(ref _isOpen) && length > 0 && length <= MaxDatagram && remote is { Port: > 0, IsAny: false, IsMulticast: false };

    private void End(byte slot)
    {
        lock (_gate)
        {
            Volatile.Write(ref _releases[slot], null);
        }
    }

    // That of a handshake stands in its last record.
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
