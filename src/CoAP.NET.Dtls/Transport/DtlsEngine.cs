using System.Globalization;
using CoAP.NET.Composition;
using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// The running engine of a <see cref="CoapDtlsTransport"/>, between the sockets, which see records, and the mesh, which sees messages.
/// </summary>
internal sealed class DtlsEngine : IDtlsSessionOutput, IDisposable
{
    // The overhead of a record around the largest message: header, Connection ID of any length, explicit nonce, type, tag.
    private const int RecordOverhead = 13 + 255 + 8 + 1 + 16;

    private readonly CoapDtlsTransport _transport;
    private readonly CoapDatagramTransport _sockets;
    private readonly ICoapSessionTransportContext _outer;
    private readonly ICoapSessionHandoverContext? _moves;
    private readonly DtlsSettings _settings;
    private readonly SharedHandshakeContext? _serverContext;
    private readonly SharedHandshakeContext? _clientContext;
    private readonly DtlsServer? _server;
    private readonly DtlsClient? _client;
    private readonly ClientSocketSelector _paths;
    private readonly SessionOpener? _opening;
    private readonly CoapDatagramPool _pool;
    private readonly LocalAddressCheck _ownAddresses;
    private readonly HandshakeDiagnostics _reports;

    // Receive threads never work on handshakes, which validate certificates and call user code.
    private readonly HandshakeScheduler _work;
    private int _isDisposed;

    /// <summary>Creates the engine; it receives nothing before its sockets start.</summary>
    /// <exception cref="CoapDtlsException">The platform lacks its cryptography, or a credential is not suitable.</exception>
    public DtlsEngine(
        CoapDtlsTransport transport, CoapDatagramTransport sockets, ICoapSessionTransportContext context, DtlsSettings settings,
            bool isServer)
    {
        _transport = transport;
        _sockets = sockets;
        _outer = context;
        _moves = context as ICoapSessionHandoverContext;
        _reports = new HandshakeDiagnostics(context);
        _settings = settings;
        Context = new DtlsSocketContext(this, context, 0);
        Clock = new DtlsEngineTimer(this, sockets, context);
        _ownAddresses = new LocalAddressCheck(sockets);
        _paths = new ClientSocketSelector(this, transport, sockets, context);
        _work = new HandshakeScheduler((work, state) => context.Scheduler.TryQueue(work, state, context.Counters, context.Logger),
            context.TimeProvider, DtlsEngineTimer.Often);
        _pool = new CoapDatagramPool(context.Limits.Messages.MaxDatagramSize + RecordOverhead);
        if (isServer)
        {
            void storeFailed(Exception exception) =>
                _server!.OnResumptionFailed("The memory of resumable sessions", exception);
            _serverContext = settings.MakeServerContext(context.TimeProvider, storeFailed);
            _server = new DtlsServer(
                _serverContext, settings.ServerLimits, settings.PskStore, settings.ValidateClientsBy(context.TimeProvider), this,
                context.TimeProvider, context.Random, _work.Run,
                _moves?.SharedKeysFor(CookieIssuer.Purpose, HandshakeAcceptor.CookieKeyLifetime))
            {
                Sources = context.Sources,
                HandshakeFailed = _reports.Failed,
                WrongProof = _reports.HasWrongProof,
                Trace = _reports.Trace,
                ValidateRawPublicKey = settings.ValidateClientPublicKey,
                Counters = new DtlsServerCounters(context.Counters),
                SelectRules = RulesOfServer(settings, context.TimeProvider, storeFailed),
                ResumptionFailed = _reports.StoreFailed,
                CheckFailed = _reports.CheckFailed,
                BackupOptions = settings.SessionBackup,
                BackupFailed = OnKeepingFailed,
                ConfirmsSession = AskAsync,
                MaxDatagram = context.Limits.Messages.MaxDatagramSize + RecordOverhead,
                SteeringFailed = _reports.SteeringFailed,
                Sockets = sockets as CoapUdpTransport,
                SteeredBy = settings.Steering,
            };
        }

        if (settings.HasClient)
        {
            _clientContext = settings.MakeClientContext();
            _client = new DtlsClient(_clientContext, settings.Client with { SelectRules = RulesOfClient(settings) }, this,
                context.TimeProvider, context.Random, _work.Run)
            {
                Trace = _reports.Trace,
            };
            _opening = new SessionOpener(transport, Clock, context, _client, _paths);
        }
    }

    /// <summary>The context of the transport's sockets.</summary>
    public DtlsSocketContext Context { get; }

    /// <summary>Schedules due work.</summary>
    public DtlsEngineTimer Clock { get; }

    /// <summary>The server's part; null on a transport that only sends requests.</summary>
    public DtlsServer? Server => _server;

    /// <summary>The client's part; null without credentials for one.</summary>
    public DtlsClient? Client => _client;

    /// <summary>Now, as a timestamp of the clock.</summary>
    public long Now => _outer.TimeProvider.GetTimestamp();

    /// <summary>The clock.</summary>
    public TimeProvider Time => _outer.TimeProvider;

    /// <summary>Sends a path_challenge (RFC 9853).</summary>
    /// <returns>False if the session has ended.</returns>
    public bool Challenge(DtlsSession session, ReturnRoutabilityCheck check) => session.Challenge(check, _outer.Random);

    /// <summary>Whether it has ended.</summary>
    public bool IsDisposed => Volatile.Read(ref _isDisposed) != 0;

    /// <summary>Loads the sessions of the previous process. Call it before the first datagram.</summary>
    /// <param name="cancellationToken">Stops it.</param>
    public async ValueTask LoadSessionsAsync(CancellationToken cancellationToken)
    {
        if (_server?.SessionBackup is not { } backup)
        {
            return;
        }

        try
        {
            int count = await backup.StartAsync(cancellationToken).ConfigureAwait(false);
            if (count > 0)
            {
                DtlsLog.SessionsLoaded(_outer.Logger, count, BackupName);
            }

            if (backup.Loading.Unreadable is var unreadable and > 0)
            {
                DtlsLog.SessionsNotLoaded(_outer.Logger, null, BackupName, string.Create(CultureInfo.InvariantCulture,
                    $"{unreadable} of them were corrupted, encrypted with another key, or written by another version."));
            }
        }
#pragma warning disable CA1031 // the server serves without the sessions after any exception of a user's backup
        catch (Exception exception) when (exception is not OperationCanceledException)
#pragma warning restore CA1031
        {
            DtlsLog.SessionsNotLoaded(_outer.Logger, exception, BackupName, exception.Message);
        }
    }

    /// <summary>Starts the steering. Call it before the first datagram.</summary>
    public void StartSteering() => _server?.Steering?.Start();

    /// <summary>Keeps the sessions for the next process. Call it when the server receives no more datagrams.</summary>
    public async ValueTask BackUpSessionsAsync()
    {
        if (_server?.SessionBackup is not { } backup || IsDisposed)
        {
            return;
        }

        try
        {
            await backup.StopAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // the server stops after any exception of a user's backup
        catch (Exception exception)
#pragma warning restore CA1031
        {
            DtlsLog.SessionsNotSaved(_outer.Logger, exception, BackupName, exception.Message);
        }
    }

    /// <summary>Closes the sockets other than those of the transport.</summary>
    public ValueTask CloseFurtherAsync() => _paths.CloseAsync();

    /// <summary>Opens a session for requests.</summary>
    /// <param name="path">The destination.</param>
    /// <param name="serverName">The name of the server; null for an address.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    public ValueTask<CoapConnection> ConnectAsync(DtlsPath path, string? serverName, CancellationToken cancellationToken) =>
        _opening?.ConnectAsync(path, serverName, cancellationToken)
            ?? throw new CoapConnectionException(
                CoapError.HandshakeFailed,
                $"No session with coaps://{path.Remote}. {MissingTransportMessage.KeysToSend}");

    /// <summary>Handles the start of the sockets.</summary>
    public void Start()
    {
        _server?.Steering?.Open();
        Clock.Start();
    }

    /// <summary>Performs due work of handshakes and sessions. The clock calls it, one call at a time.</summary>
    /// <returns>The time until more work is due at the latest; <see cref="Timeout.InfiniteTimeSpan"/> if nothing is waiting.</returns>
    public TimeSpan DoWhatIsDue()
    {
        if (IsDisposed)
        {
            return Timeout.InfiniteTimeSpan;
        }

        _server?.Tick();
        TimeSpan idle = _client?.Tick() ?? Timeout.InfiniteTimeSpan;
        _work.Look();
        TimeSpan silent = _opening?.ProbeSilent() ?? Timeout.InfiniteTimeSpan;
        return _server is { HandshakeCount: > 0 } || _client is { HandshakeCount: > 0 } ? DtlsEngineTimer.Often
            : _server is not null ? DtlsEngineTimer.Seldom
            : idle == Timeout.InfiniteTimeSpan ? silent
            : silent == Timeout.InfiniteTimeSpan || idle < silent ? idle : silent;
    }

    /// <summary>Processes a datagram of the sockets, and takes ownership of it.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="index">The index of the receiving sockets.</param>
    public void Receive(CoapDatagram datagram, int index)
    {
        try
        {
            datagram.TransportTag |= index << ClientSocketSelector.IndexShift;
            if (datagram.IsTruncated || datagram.Length == 0 || IsDisposed || !Dispatch(datagram))
            {
                _outer.Counters.Add(CoapCounter.RecordsRejected);
            }
        }
        finally
        {
            datagram.Dispose();
        }
    }

    /// <summary>Handles a message of a session.</summary>
    public void Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content)
    {
        if (session.Owner is not DtlsChannelSession { Channel: { } channel } owner || content.Length > _pool.BufferSize)
        {
            return;
        }

        owner.OnHeard(content);
        CoapDatagram message = _pool.Rent();
        content.CopyTo(message.Buffer);
        message.Length = content.Length;
        message.Remote = path.Remote;
        message.Local = path.Local;
        message.Transport = _transport;
        message.TransportTag = path.Tag & ClientSocketSelector.TagMask;
        message.Channel = channel;
        _outer.Receive(message);
    }

    /// <summary>Handles a new session: it gets its channel before its first message.</summary>
    public void Opened(DtlsSession session)
    {
        bool isInitiator = session.IsInitiator;
        DtlsChannelSession owner = new(_transport, this, session);
        session.Owner = owner;
        if (!_outer.Opened(owner))
        {
            session.Owner = null;
            if (isInitiator)
            {
                _client!.End(session, DtlsSessionEndReason.Closed, tells: true);
            }
            else
            {
                _server!.End(session, DtlsSessionEndReason.Closed, tells: true);
            }

            return;
        }

        if (session is DtlsSessionWithBackup kept && _server!.SessionBackup!.Loading.TakeSeen(kept) is { } seen)
        {
            _moves?.Resume(owner, seen);
        }

        if (isInitiator)
        {
            _opening!.OfferReady(owner);
        }

        if (_outer.Logger.IsEnabled(LogLevel.Debug))
        {
            DtlsLog.Opened(_outer.Logger, owner.Remote.ToString(), session.Suite.ToString(), owner.Identity);
        }
    }

    /// <summary>Whether the peer of a session has pending requests.</summary>
    public bool IsBusy(DtlsSession session) => session.Owner is DtlsChannelSession owner && _moves?.IsBusy(owner) == true;

    /// <summary>Starts no more requests of the peer of a session, and waits until the pending ones have answers.</summary>
    public Task FinishAsync(DtlsSession session, CancellationToken cancellationToken) =>
        session.Owner is DtlsChannelSession owner && _moves is { } moves ? moves.FinishAsync(owner, cancellationToken) : Task.CompletedTask;

    /// <summary>Ignores further input of a session, which continues elsewhere.</summary>
    public ReadOnlyMemory<byte> ExportState(DtlsSession session) =>
        session.Owner is DtlsChannelSession owner && _moves is { } moves ? moves.ExportState(owner) : default;

    /// <summary>Handles another address of a session's peer.</summary>
    public void Moved(DtlsSession session, in DtlsPath from)
    {
        if (session.Owner is DtlsChannelSession { Channel: not null } owner)
        {
            _outer.Moved(owner, from.Remote);
        }
    }

    /// <summary>Handles the end of a session.</summary>
    public void Closed(DtlsSession session, DtlsSessionEndReason reason)
    {
        if (session.Owner is DtlsChannelSession { Channel: not null } owner)
        {
            DtlsLog.Closed(_outer.Logger, owner.Remote.ToString(), reason);
            if (reason == DtlsSessionEndReason.Withdrawn)
            {
                DtlsLog.Withdrawn(_outer.Logger, owner.Remote.ToString(), owner.Identity);
            }

            _outer.Closed(owner, owner.Reason ?? Describe(owner, reason));
        }
    }

    /// <summary>
    /// Returns the path to the peer of a kept session, perhaps from another host: no datagram can leave from that host's address.
    /// </summary>
    public DtlsPath PathFor(in DtlsPath kept) => _ownAddresses.Has(kept.Local) ? kept : kept with { Local = default, Tag = 0 };

    /// <summary>Sends a datagram.</summary>
    public void Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        if (path.Via != 0 && _server!.Steering!.TrySend(path, datagram))
        {
            return;
        }

        CoapDatagramTransport sockets = _paths.SocketsOf(path);
        CoapDatagram item = datagram.Length <= _pool.BufferSize ? _pool.Rent() : new CoapDatagram(datagram.Length);
        datagram.CopyTo(item.Buffer);
        item.Length = datagram.Length;
        item.Remote = path.Remote;
        item.Local = path.Local;
        item.Transport = sockets;
        item.TransportTag = path.Tag & ClientSocketSelector.TagMask;
        item.HopLimit = 0;
        item.Channel = null;
        sockets.Send(item);
    }

    /// <summary>Handles a failure to send in the operating system.</summary>
    public void OnSendFailed(CoapAddress remote, Exception error) => DtlsLog.SendFailed(_outer.Logger, remote.ToString(), error.Message);

    /// <summary>
    /// Handles a report that no process listens at a destination. Any sender can forge it, so it does not end a session; but it triggers a
    /// probe.
    /// </summary>
    /// <param name="remote">The destination.</param>
    /// <param name="index">The index of the client's sockets.</param>
    /// <param name="quoted">The first bytes of the datagram that did not arrive.</param>
    public void OnPortUnreachable(CoapAddress remote, int index, ReadOnlySpan<byte> quoted)
    {
        if (_client is not { } client)
        {
            return;
        }

        DtlsPath path = new(remote, default, index << ClientSocketSelector.IndexShift);
        client.PortUnreachable(path, quoted);
        if (client.Find(path)?.Owner is DtlsChannelSession { Unanswered: > 0 } session)
        {
            _opening!.Probe(session);
        }
    }

    /// <summary>Handles so many unanswered Confirmable messages in a session of this client that a probe may be due.</summary>
    public void OnUnanswered(DtlsChannelSession session) => _opening?.OnUnanswered(session);

    /// <summary>Ends a session at this end's request.</summary>
    public void End(DtlsChannelSession session)
    {
        if (session.IsInitiator)
        {
            _client!.End(session.Session, DtlsSessionEndReason.Closed, tells: true);
        }
        else if (session.Session is DtlsSessionWithBackup kept && _outer.IsStopping)
        {
            _server!.SessionBackup!.EndToKeep(kept);
        }
        else
        {
            _server!.End(session.Session, DtlsSessionEndReason.Closed, tells: true);
        }
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        Clock.Dispose();
        _server?.Steering?.Close();
        _client?.Dispose();
        _server?.Dispose();
        _settings.ForgetResumable();
    }

    private static Func<string?, ServerHandshakeSettings?>? RulesOfServer(
        DtlsSettings settings, TimeProvider time, Action<Exception> storeFailed)
    {
        const string Option = "CoapDtlsServerOptions.SelectCredentials";
        PreparedCredentialCache<ServerHandshakeSettings> known = new(
            credentials => new ServerHandshakeSettings(settings.MakeServerContext(time, storeFailed, credentials),
                settings.ValidateClientsBy(time, credentials)));
        return settings.SelectServerCredentials is not { } select ? null
            : name => CallbackException.Guard(Option, () => select(name) is { } chosen ? known.For(chosen) : null);
    }

    private static Func<string?, CoapAddress, ClientHandshakeSettings?>? RulesOfClient(DtlsSettings settings)
    {
        const string Option = "CoapDtlsClientOptions.SelectCredentials";
        PreparedCredentialCache<ClientHandshakeSettings> known = new(
            credentials => new ClientHandshakeSettings(settings.MakeClientContext(credentials), settings.CheckServersBy(credentials)));
        return settings.SelectClientCredentials is not { } select ? null
            : (name, server) => CallbackException.Guard(
                Option, () => select(new CoapDtlsTargetServer(name, server, null)) is { } chosen ? known.For(chosen) : null);
    }

    private void OnKeepingFailed(Exception exception)
    {
        _outer.Counters.Add(CoapCounter.SessionBackupFailures);
        DtlsLog.SessionsNotBackedUp(_outer.Logger, exception, BackupName, exception.Message);
    }

    private Task AskAsync(DtlsSession session) =>
        session.Owner is DtlsChannelSession { Channel: not null } owner
            ? _outer.PingAsync(owner, CancellationToken.None)
            : Task.FromException(new CoapConnectionException(CoapError.Lost, "The session is not open."));

    private string BackupName => $"{_settings.SessionBackup?.Backup}";

    private static CoapConnectionException? Describe(DtlsChannelSession session, DtlsSessionEndReason reason) => reason switch
    {
        DtlsSessionEndReason.ClosedByPeer => null,
        DtlsSessionEndReason.FailedByPeer => new CoapConnectionException(CoapError.Lost, $"{session} ended the session by a fatal alert."),
        DtlsSessionEndReason.Replaced =>
            new CoapConnectionException(CoapError.Lost,
                $"{session} began a new session in place of the old one (RFC 6347 section 4.2.8)."),
        DtlsSessionEndReason.Evicted =>
            new CoapConnectionException(CoapError.ClosedLocally,
                $"The session with {session} was silent for long, or others needed its place."),
        DtlsSessionEndReason.Exhausted =>
            new CoapConnectionException(CoapError.Lost,
                $"The session with {session} was ended: its record numbers were used up, or too many records were forged."),
        DtlsSessionEndReason.Unconfirmed =>
            new CoapConnectionException(CoapError.Lost,
                $"The session with {session} ended: the backup of sessions did not confirm in time that it may use further record "
                    + "numbers. Check why the store is slow or unavailable."),
        DtlsSessionEndReason.Withdrawn =>
            new CoapConnectionException(CoapError.ClosedLocally,
                $"The session with {session} ended: its key was removed or replaced, or its certificate is not accepted any more."),
        DtlsSessionEndReason.Unanswered =>
            new CoapConnectionException(CoapError.Lost,
                $"The session with {session} ended: after the crash of the previous process, its peer answered no Empty message, so the "
                    + "server cannot tell whether its requests are new."),
        DtlsSessionEndReason.Saved =>
            new CoapConnectionException(CoapError.HandedOver,
                $"The session with {session} was handed over: it continues where a server loads it."),
        DtlsSessionEndReason.TakenOver =>
            new CoapConnectionException(CoapError.HandedOver,
                $"Another server owns the session with {session} now, according to the backup of sessions."),
        _ => new CoapConnectionException(CoapError.ClosedLocally, $"This end closed the session with {session}."),
    };

    private bool Dispatch(CoapDatagram datagram)
    {
        DtlsPath path = new(datagram.Remote, datagram.Local, datagram.TransportTag);
        Span<byte> bytes = datagram.Buffer.AsSpan(datagram.Offset, datagram.Length);
        if (_client is { IsIdle: false } client)
        {
            // Both ends may be client and server of each other over the same ports, and only Connection IDs, or the keys, identify the
            // session.
            bool isOfUse = client.Receive(path, bytes, isShared: _server?.Uses(path) == true, out bool isPerhapsOfClient);
            if (isOfUse)
            {
                if (isPerhapsOfClient)
                {
                    _ = _server!.Receive(path, bytes);
                }

                return true;
            }
        }

        return _server?.Receive(path, bytes) == true;
    }
}
