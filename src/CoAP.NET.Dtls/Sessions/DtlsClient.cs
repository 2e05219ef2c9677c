using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Concurrent;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Errors;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// All sessions that this end opened, and its handshakes for more (RFC 6347): datagrams in, messages and datagrams out. Owns no socket and
/// no thread. Thread-safe.
/// </summary>
internal sealed class DtlsClient : IDtlsSessionOwner, IDisposable
{
    private const byte ClientHello = 1;
    private const byte Certificate = 11;
    private const byte CertificateVerify = 15;
    private const byte ClientKeyExchange = 16;
    /// <summary>Maximum bytes of the Connection IDs that it assigns.</summary>
    public const int MaxOwnCidLength = sizeof(ulong);

    // After the time is over, and not just before.
    private static readonly TimeSpan s_afterIdle = TimeSpan.FromMilliseconds(1);

    private readonly SharedHandshakeContext _context;
    private readonly CoapRandomSource _random;
    private readonly Action<uint, Action> _run;
    private readonly ConcurrentDictionary<Peer, PendingConnect> _pending = new();
    private readonly ConcurrentDictionary<Peer, DtlsSession> _sessions = new();
    private readonly ConcurrentDictionary<ulong, DtlsSession> _byCid = new();
    private int _sessionCount;
    private bool _isDisposed;

    /// <summary>Creates a client.</summary>
    /// <param name="context">The context that its handshakes share; the client does not dispose it.</param>
    /// <param name="settings">The settings of its sessions.</param>
    /// <param name="sink">Receives its output.</param>
    /// <param name="time">The clock of deadlines.</param>
    /// <param name="random">The source of Connection IDs.</param>
    /// <param name="run">Runs the work of a handshake on another thread than the receive thread; sources take turns.</param>
    public DtlsClient(SharedHandshakeContext context, DtlsClientSettings settings, IDtlsSessionOutput sink, TimeProvider time,
        CoapRandomSource random,
        Action<uint, Action> run)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(context.Settings.OwnCidLength, MaxOwnCidLength);
        _context = context;
        Settings = settings;
        Sink = sink;
        Time = time;
        _random = random;
        _run = run;
        Resumptions = new ClientResumptionCache(settings.MaxResumable, settings.ResumptionLifetime, time);
    }

    public DtlsClientSettings Settings { get; }

    public IDtlsSessionOutput Sink { get; }

    public TimeProvider Time { get; }

    /// <summary>The resumable sessions.</summary>
    public ClientResumptionCache Resumptions { get; }

    /// <summary>Number of sessions.</summary>
    public int SessionCount => Volatile.Read(ref _sessionCount);

    /// <summary>Number of pending handshakes.</summary>
    public int HandshakeCount => _pending.Count;

    /// <summary>Whether it has neither a session nor a handshake, so that no datagram can be for it.</summary>
    public bool IsIdle => SessionCount == 0 && _pending.IsEmpty;

    /// <summary>The current sessions, each once, while some come and go.</summary>
    public IEnumerable<DtlsSession> Sessions => _sessions.Select(static entry => entry.Value);

    /// <summary>Finds the session over a path; null for none.</summary>
    /// <param name="path">The path.</param>
    public DtlsSession? Find(in DtlsPath path) => _sessions.GetValueOrDefault(Peer.Of(path));

    /// <summary>
    /// Opens a session with one handshake. It calls <see cref="IDtlsSessionOutput.Opened"/> before the task ends. The session replaces one
    /// over the same path (RFC 6347 section 4.2.8), and waits for another handshake over it.
    /// </summary>
    /// <param name="path">The path to the server, with the socket.</param>
    /// <param name="serverName">The name to send (RFC 6066 section 3) and to require in the certificate; null: the address.</param>
    /// <param name="cancellationToken">Cancels the handshake.</param>
    /// <returns>The session.</returns>
    /// <exception cref="CoapDtlsException">The handshake did not establish a session.</exception>
    /// <exception cref="ObjectDisposedException">The client is disposed.</exception>
    public async Task<DtlsSession> ConnectAsync(DtlsPath path, string? serverName, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
            PendingConnect pending = new(this, path, serverName);
            PendingConnect registered = _pending.GetOrAdd(Peer.Of(path), pending);
            if (registered != pending)
            {
                // The caller that began it gets its failure.
                await Task.WhenAny(registered.Ended).WaitAsync(cancellationToken).ConfigureAwait(false);
                continue;
            }

            try
            {
                return await ConnectAsync(pending, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapDtlsException exception)
                when (pending.OffersResumption
                    && exception.Reason is CoapDtlsHandshakeFailure.Refused or CoapDtlsHandshakeFailure.NothingInCommon
                        or CoapDtlsHandshakeFailure.Other)
            {
                // Some servers assign session IDs and refuse every client that returns with one. Retry without, and never use one again
                // with this server.
                Resumptions.Refuse(path.Remote, serverName);
            }
        }
    }

    /// <summary>Describes the progress of the handshake with a server.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">The requested name.</param>
    /// <returns>Null if none is pending.</returns>
    public CoapConnectProgress? ProgressOf(in CoapAddress remote, string? serverName)
    {
        foreach (PendingConnect pending in _pending.Values)
        {
            if (pending.Path.Remote == remote && pending.ServerName == serverName)
            {
                return pending.Progress;
            }
        }

        return null;
    }

    /// <summary>
    /// Ends an attempt to connect after the peer's host reported that no process listens at its port. Sessions stay open, because any
    /// sender can forge the report. A report of an earlier datagram, such as one of a session with a server that has restarted since, says
    /// nothing of the attempt.
    /// </summary>
    /// <param name="path">The path.</param>
    /// <param name="quoted">The first bytes of the datagram that did not arrive.</param>
    /// <returns>Whether there was an attempt.</returns>
    public bool PortUnreachable(in DtlsPath path, ReadOnlySpan<byte> quoted) =>
        _pending.TryGetValue(Peer.Of(path), out PendingConnect? pending) && pending.MayHaveSent(quoted) && pending.GiveUp(
        CoapDtlsHandshakeFailure.PortUnreachable,
        $"No process listens at UDP port {path.Remote.Port} of {path.Remote.ToIPAddress()}. Is the server running, and does it offer "
            + "coaps (UDP 5684 unless the URI names another port)?");

    /// <summary>Ends a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">The reason.</param>
    /// <param name="tells">Whether to notify the peer.</param>
#pragma warning disable CA1822 // symmetric to the server
    public void End(DtlsSession session, DtlsSessionEndReason reason, bool tells) => session.End(reason, tells);
#pragma warning restore CA1822

    /// <summary>
    /// Performs due work: deadlines of handshakes, retransmissions, sessions that were silent for long. Call it several times per second
    /// while handshakes are pending.
    /// </summary>
    /// <returns>The time until the next session will have been silent for long; <see cref="Timeout.InfiniteTimeSpan"/> for none.</returns>
    public TimeSpan Tick()
    {
        // Values would copy all of them under all locks.
        foreach ((_, PendingConnect pending) in _pending)
        {
            pending.Tick();
        }

        TimeSpan next = Timeout.InfiniteTimeSpan;
        foreach ((_, DtlsSession session) in _sessions)
        {
            TimeSpan left = Settings.IdleTimeout - session.Idle;
            if (left < TimeSpan.Zero)
            {
                End(session, DtlsSessionEndReason.Evicted, tells: true);
            }
            else if (next == Timeout.InfiniteTimeSpan || left < next)
            {
                next = left + s_afterIdle;
            }
        }

        return next;
    }

    public void Dispose()
    {
        Volatile.Write(ref _isDisposed, true);
        foreach (PendingConnect pending in _pending.Values)
        {
            pending.GiveUp(CoapDtlsHandshakeFailure.Stopped, "The endpoint stops.");
        }

        foreach (DtlsSession session in _sessions.Values)
        {
            End(session, DtlsSessionEndReason.Closed, tells: true);
        }

        Resumptions.Dispose();
    }

    /// <summary>Gets each message of a handshake, for logs. Null: nothing does.</summary>
    public Action<DtlsPath, HandshakeMessageLogEntry>? Trace { get; init; }

    /// <summary>Runs the work of a handshake.</summary>
    /// <param name="work">The work.</param>
    public void Run(Action work) => _run(SourceHasher.Own, work);

    /// <summary>Returns what a handshake uses; it may run code of the application.</summary>
    /// <param name="serverName">The requested name; null: the address.</param>
    /// <param name="server">The address of the server.</param>
    public ClientHandshakeSettings RulesFor(string? serverName, CoapAddress server) =>
        Settings.SelectRules?.Invoke(serverName, server) ?? new ClientHandshakeSettings(_context, Settings.Certificates);

    /// <summary>Creates a handshake.</summary>
    /// <param name="pending">Its connection attempt.</param>
    /// <param name="rules">The credentials and checks that it uses.</param>
    /// <returns>The handshake; its owner disposes it.</returns>
    public ClientHandshake MakeHandshake(PendingConnect pending, ClientHandshakeSettings rules) =>
        new(rules.Context, MakeCid(), null, default)
        {
            SelectPsk = pending.SelectKeyAsync,
            Validate = pending.TrustsAsync,
            ValidateRawPublicKey = pending.TrustsKeyAsync,
            Trace = Trace is { } trace ? step => trace(pending.Path, step) : null,
        };

    /// <summary>Completes a handshake: its session replaces one over the same path.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="established">The result of the handshake.</param>
    /// <returns>The session.</returns>
    public DtlsSession OnDone(PendingConnect pending, HandshakeResult established)
    {
        DtlsSession session = new(established, pending.Path, this, isInitiator: true, pending.ServerName);

        // Before the session can deliver anything.
        Interlocked.Increment(ref _sessionCount);
        Sink.Opened(session);
        if (session.IsClosed)
        {
            return session;
        }

        if (session.OwnCid.Length > 0)
        {
            _byCid[CidOf(session.OwnCid)] = session;
        }

        DtlsSession? before = null;
        _sessions.AddOrUpdate(Peer.Of(pending.Path), session, (_, old) =>
        {
            before = old;
            return session;
        });
        if (before is not null)
        {
            End(before, DtlsSessionEndReason.Replaced, tells: false);
        }

        if (Volatile.Read(ref _isDisposed))
        {
            End(session, DtlsSessionEndReason.Closed, tells: true);
        }

        return session;
    }

    /// <summary>Removes a finished handshake; its path is free for another.</summary>
    /// <param name="pending">The handshake.</param>
    public void Forget(PendingConnect pending) =>
        _pending.TryRemove(new KeyValuePair<Peer, PendingConnect>(Peer.Of(pending.Path), pending));

    private static ulong CidOf(ReadOnlySpan<byte> cid)
    {
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        number.Clear();
        cid.CopyTo(number);
        return BinaryPrimitives.ReadUInt64BigEndian(number);
    }

    private async Task<DtlsSession> ConnectAsync(PendingConnect pending, CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((PendingConnect)state!).Cancel(token),
            pending);
        pending.Start();
        if (Volatile.Read(ref _isDisposed))
        {
            pending.GiveUp(CoapDtlsHandshakeFailure.Stopped, "The endpoint stops.");
        }

        return await pending.Ended.ConfigureAwait(false);
    }

    private byte[]? MakeCid()
    {
        if (_context.Settings.OwnCidLength < 0)
        {
            return null;
        }

        // Short Connection IDs may collide: then the older session keeps it, and the path names this one.
        byte[] cid = new byte[_context.Settings.OwnCidLength];
        for (int i = 0; i < 8 && cid.Length > 0; i++)
        {
            _random.Fill(cid);
            if (!_byCid.ContainsKey(CidOf(cid)))
            {
                break;
            }
        }

        return cid;
    }

    long IDtlsSessionOwner.MaxForgeries => long.MaxValue;

    void IDtlsSessionOwner.OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to)
    {
        _sessions.TryRemove(new KeyValuePair<Peer, DtlsSession>(Peer.Of(from), session));
        _sessions[Peer.Of(session.Path)] = session;
    }

    void IDtlsSessionOwner.OnEnded(DtlsSession session, DtlsSessionEndReason reason)
    {
        Interlocked.Decrement(ref _sessionCount);
        if (reason == DtlsSessionEndReason.FailedByPeer)
        {
            // RFC 5246 section 7.2.2: a failed session must not resume.
            Resumptions.Forget(session.Path.Remote, session.ServerName);
        }

        _sessions.TryRemove(new KeyValuePair<Peer, DtlsSession>(Peer.Of(session.Path), session));
        if (session.OwnCid.Length > 0)
        {
            _byCid.TryRemove(new KeyValuePair<ulong, DtlsSession>(CidOf(session.OwnCid), session));
        }
    }

    // A path for sending has no local address yet; that of a received datagram does.
    private readonly record struct Peer(CoapAddress Remote, int Tag)
    {
        public static Peer Of(in DtlsPath path) => new(path.Remote, path.Tag);
    }

    /// <summary>Processes a datagram. It delivers messages before it returns; handshakes continue on other threads.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">Its bytes; decrypted in place.</param>
    /// <returns>Whether any part of it was useful.</returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram) => Receive(path, datagram, isShared: false, out _);

    /// <summary>Processes a datagram. It delivers messages before it returns; handshakes continue on other threads.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">Its bytes; decrypted in place.</param>
    /// <param name="isShared">
    /// Whether this end is a server too over the same path, by a handshake or by a session without a Connection ID: data that is not for
    /// the client then stays unmodified.
    /// </param>
    /// <param name="isPerhapsOfClient">
    /// Whether it belongs to a handshake in which the peer may be the client, so that the server has to see it too.
    /// </param>
    /// <returns>
    /// Whether any part of it was useful; false also for messages of a client, which a server at the same socket may want.
    /// </returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram, bool isShared, out bool isPerhapsOfClient)
    {
        isPerhapsOfClient = false;
        bool isOfUse = false;
        Peer peer = Peer.Of(path);
        PendingConnect? pending = _pending.GetValueOrDefault(peer);
        int cidLength = Math.Max(0, _context.Settings.OwnCidLength);
        int forged = 0;

        // A bad record does not affect those after it; but a datagram must not have room for many attempts.
        for (int offset = 0;
            offset < datagram.Length && forged < DtlsSession.MaxForgeriesOfDatagram
                && RecordHeader.TryRead(datagram[offset..], cidLength, out RecordHeader header);)
        {
            Span<byte> record = datagram.Slice(offset, header.HeaderLength + header.Length);
            offset += record.Length;
            DtlsSession? session = SessionOf(peer, header, record);
            if (pending is not null && IsForHandshake(header, record, session, isShared))
            {
                // The handshake walks the datagram itself, once, and returns the part after its end. If both ends began at the same time,
                // messages that either may have sent go to both.
                HandshakeSender speaker = isShared ? SpeakerOf(datagram, cidLength) : HandshakeSender.Server;
                isPerhapsOfClient = speaker == HandshakeSender.Either;
                return (speaker != HandshakeSender.Client && pending.Post(datagram)) || isOfUse;
            }

            if (header.Type == ContentType.Tls12Cid && session is null)
            {
                // Connection IDs of other senders may have another length, so the end of this record is unknown.
                return isOfUse;
            }

            if (session is not null)
            {
                isOfUse |= isShared ? DeliverShared(session, header, record, path) : Deliver(session, header, record, path, ref forged);
            }
        }

        return isOfUse;
    }

    // Decides by messages that only one of the roles sends (RFC 5246 section 7.4).
    private static HandshakeSender SpeakerOf(ReadOnlySpan<byte> datagram, int cidLength)
    {
        for (int offset = 0; offset < datagram.Length && RecordHeader.TryRead(datagram[offset..], cidLength, out RecordHeader header);
            offset += header.HeaderLength + header.Length)
        {
            if (header is { Type: ContentType.Handshake, Epoch: 0 }
                && datagram[offset + header.HeaderLength] is not Certificate and byte message)
            {
                return message is ClientHello or CertificateVerify or ClientKeyExchange ? HandshakeSender.Client : HandshakeSender.Server;
            }
        }

        return HandshakeSender.Either;
    }

    private static bool IsForHandshake(in RecordHeader header, ReadOnlySpan<byte> record, DtlsSession? session, bool isShared) =>
        header.Type switch
        {
            // A handshake without an answer must not withhold records of the other session.
            ContentType.ApplicationData or ContentType.Alert or ContentType.ReturnRoutabilityCheck when isShared
                && header.Epoch > 0 => false,
            ContentType.Handshake
                when header.Epoch == 0 => record[header.HeaderLength] is not (ClientHello or CertificateVerify or ClientKeyExchange),
            ContentType.ApplicationData or ContentType.ReturnRoutabilityCheck => header.Epoch > 0 && session is null,
            ContentType.Tls12Cid => session is null && header.CidLength > 0,
            _ => true,
        };

    private DtlsSession? SessionOf(in Peer peer, in RecordHeader header, ReadOnlySpan<byte> record) =>
        header.Type == ContentType.Tls12Cid ? header.CidLength > 0 ? _byCid.GetValueOrDefault(CidOf(header.Cid(record))) : null
            : header.Epoch > 0 ? _sessions.GetValueOrDefault(peer) : null;

    // A record that fails here most likely uses the keys of the other session. If it uses neither, that session counts it as forged.
    private static bool DeliverShared(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path)
    {
        byte[] copy = ArrayPool<byte>.Shared.Rent(record.Length);
        record.CopyTo(copy);
        int forged = 0;
        bool isOpened = Deliver(session, header, record, path, ref forged);
        if (forged > 0)
        {
            session.Forgive();
            copy.AsSpan(0, record.Length).CopyTo(record);
        }

        ArrayPool<byte>.Shared.Return(copy);
        return isOpened;
    }

    private static bool Deliver(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path, ref int forged)
    {
        // The address that it came to does not restrict the address to send from: the system knows the route.
        DtlsPath before = session.Path;
        RecordOpenResult result = session.Receive(header, record, Peer.Of(path) == Peer.Of(before) ? before : path);
        forged += result == RecordOpenResult.Forged ? 1 : 0;
        return result == RecordOpenResult.Opened;
    }

    // The role that sent a handshake datagram.
    private enum HandshakeSender
    {
        Either,
        Client,
        Server,
    }
}
