using System.Collections.Concurrent;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Steering;
using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// The handshakes of a server, from the cookie to the session. A client gets an answer but no memory until it returns a cookie.
/// Thread-safe.
/// </summary>
internal sealed class HandshakeAcceptor
{
    private const int AddressBytes = 24;
    private const byte FatalLevel = 2;

    // The first ClientHello has number 0, the one with the cookie 1 (RFC 6347 section 4.2.2).
    private const ushort HelloNumber = 1;

    // The records of the answer continue with the number of the ClientHello, and a number has 48 bits: half of them remain.
    private const ulong MaxSequence = 1UL << 47;

    private static readonly HandshakeFailureReason s_tooLate = new(
        "The client did not finish the handshake in time.", HandshakeFault.TimedOut);
    private static readonly HandshakeFailureReason s_replaced = new("The client began another handshake.");
    private static readonly HandshakeFailureReason s_handedOver = new("Its slot is handed over to another server.");
    private static readonly HandshakeFailureReason s_noExtendedMasterSecret =
        new(Handshake.NoExtendedMasterSecret, HandshakeFault.NothingInCommon);

    private readonly DtlsServer _server;
    private readonly SessionTable _sessions;
    private readonly ServerHandshakeSettings _rules;
    private readonly DtlsServerLimits _limits;
    private readonly TimeProvider _time;
    private readonly CookieIssuer _cookies;
    private readonly ConcurrentDictionary<DtlsPath, PendingHandshake> _pending = new();
    private readonly PendingHandshakeLimiter _handshakes;
    private readonly FailedClientHelloCache _failed = new();
    private readonly Lock _gate = new();

    // The callers that wait until no handshake of a slot remains.
    private List<(byte Slot, TaskCompletionSource Done)> _waiters = [];
    private bool _isStopped;

    /// <summary>Creates the intake.</summary>
    /// <param name="server">Its server.</param>
    /// <param name="sessions">The sessions of the server.</param>
    /// <param name="rules">The credentials and checks of its handshakes, unless credentials are selected.</param>
    /// <param name="limits">Its limits.</param>
    /// <param name="time">The clock.</param>
    /// <param name="cookieKeys">The keys of cookies that other processes share; null for secret keys of its own.</param>
    public HandshakeAcceptor(
        DtlsServer server,
        SessionTable sessions,
        ServerHandshakeSettings rules,
        DtlsServerLimits limits,
        TimeProvider time,
        RotatingKeyProvider? cookieKeys)
    {
        _server = server;
        _sessions = sessions;
        _rules = rules;
        _limits = limits;
        _time = time;
        _cookies = cookieKeys is null ? new CookieIssuer(server.Random, time, CookieKeyLifetime) : new CookieIssuer(cookieKeys);
        _handshakes = new PendingHandshakeLimiter(limits.MaxHandshakesPerAddress, limits.MaxHandshakes);
    }

    /// <summary>How long a key of cookies is the newest one.</summary>
    public static TimeSpan CookieKeyLifetime { get; } = TimeSpan.FromMinutes(2);

    /// <summary>Number of pending handshakes.</summary>
    public int Count => _handshakes.Count;

    /// <summary>Finds the handshake over a path; null for none.</summary>
    /// <param name="path">The path.</param>
    public PendingHandshake? Find(in DtlsPath path) => _pending.TryGetValue(KeyOf(path), out PendingHandshake? pending) ? pending : null;

    /// <summary>Performs due work.</summary>
    public void Tick()
    {
        foreach (PendingHandshake pending in _pending.Values)
        {
            if (_time.GetElapsedTime(pending.Since) < _limits.HandshakeTimeout)
            {
                pending.Tick();
            }
            else
            {
                GiveUp(pending, s_tooLate);
            }
        }
    }

    /// <summary>Gives up the handshakes whose sessions would be in a slot. Call it when no new one can begin there.</summary>
    /// <param name="slot">The slot.</param>
    /// <returns>A task that ends when none remains, and the last completed ones have their sessions.</returns>
    public Task GiveUpAsync(byte slot)
    {
        foreach (PendingHandshake pending in _pending.Values)
        {
            if (pending.Grant?.Slot == slot)
            {
                GiveUp(pending, s_handedOver);
            }
        }

        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _waiters = [.. _waiters, (slot, done)];
        }

        EndWaiting();
        return done.Task;
    }

    /// <summary>Ends all handshakes, and begins no more.</summary>
    public void Stop()
    {
        Volatile.Write(ref _isStopped, true);
        foreach (PendingHandshake pending in _pending.Values)
        {
            _ = pending.GiveUp();
            Forget(pending);
        }

        _cookies.Dispose();
    }

    private static int WriteAddress(in DtlsPath path, Span<byte> bytes)
    {
        path.Remote.WriteTo(bytes);
        return CoapAddress.BinaryLength;
    }

    /// <summary>Processes a ClientHello: asks for a cookie, continues a handshake, or begins one.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">The datagram.</param>
    /// <param name="isSteered">Whether another server relayed it, so that this one does not relay it again.</param>
    /// <returns>Whether it was useful.</returns>
    public bool OnClientHello(in DtlsPath path, ReadOnlySpan<byte> datagram, bool isSteered)
    {
        bool isLaterFragment = ClientHello.IsLaterFragment(datagram);
        ClientHello hello = default;
        if (Volatile.Read(ref _isStopped) || (!isLaterFragment && !ClientHello.TryRead(datagram, out hello)))
        {
            _server.Counters.AddIgnored();
            return false;
        }

        ClusterSlotPermit? grant = null;
        if (_server.Steering is { } steering && Find(path) is null && (grant = steering.SlotOfNew()) is null)
        {
            if (!isSteered && steering.TryRelay(path, datagram))
            {
                return true;
            }

            _server.Counters.AddIgnored();
            return false;
        }

        if (isLaterFragment)
        {
            // Only behind a first fragment with a valid cookie. Without one the client sends it again after its timeout.
            if (Find(path)?.Post(datagram) == true)
            {
                return true;
            }

            _server.Counters.AddIgnored();
            return false;
        }

        Span<byte> address = stackalloc byte[AddressBytes];
        address = address[..WriteAddress(path, address)];
        if (!_cookies.Accepts(hello, address))
        {
            Span<byte> request = stackalloc byte[CookieIssuer.RequestLength];
            if (!_cookies.TryWriteRequest(hello, address, request))
            {
                _server.Counters.AddIgnored();
                return false;
            }

            _server.Counters.AddCookie();
            _server.Sink.Send(path, request);
            return true;
        }

        if (hello.Number != HelloNumber || hello.Sequence > MaxSequence)
        {
            // Such a handshake could not complete, or would leave the epoch with the numbers of its records.
            _server.Counters.AddIgnored();
            return false;
        }

        if (_rules.Context.Settings.RequiresExtendedMasterSecret && hello.IsWhole && !hello.HasExtendedMasterSecret)
        {
            RefuseOld(path, hello);
            return true;
        }

        if (Find(path) is { } known)
        {
            if (known.Began(hello.BeforeCookie))
            {
                // A retransmission, because the answer was lost.
                return known.Post(datagram);
            }

            // The client began another handshake, and has proved its address.
            GiveUp(known, s_replaced);
            grant ??= known.Grant;
        }

        return TryBegin(path, datagram, hello.BeforeCookie, grant);
    }

    // RFC 7627 section 5.2: abort immediately, with an alert.
    private void RefuseOld(in DtlsPath path, in ClientHello hello)
    {
        RecordHeader header = new(ContentType.Alert, 0, hello.Sequence, 0, 2);
        Span<byte> alert = stackalloc byte[RecordHeader.Size + 2];
        header.Write(alert, []);
        alert[RecordHeader.Size] = FatalLevel;
        alert[RecordHeader.Size + 1] = (byte)AlertDescription.HandshakeFailure;
        _server.Sink.Send(path, alert);
        _server.Counters.AddFailed();
        Report(path, hello.BeforeCookie, null, s_noExtendedMasterSecret);
    }

    private bool TryBegin(in DtlsPath path, ReadOnlySpan<byte> datagram, ReadOnlySpan<byte> beginning, ClusterSlotPermit? grant)
    {
        DtlsPath at = path;
        PendingHandshake pending = new(hello => Make(hello, grant, at), path, _server, beginning.ToArray())
        {
            Since = _time.GetTimestamp(),
            Source = _sessions.Keys.Of(path.Remote),
            IsKnown = _sessions.HasSessionsOf(path.Remote),
            Grant = grant,
        };
        if (_handshakes.Add(pending) is { } evicted && evicted.GiveUp())
        {
            // Counted and not logged: otherwise a flood would fill the log.
            Forget(evicted);
            _server.Counters.AddEvicted();
        }

        DtlsPath key = KeyOf(path);
        for (PendingHandshake present = _pending.GetOrAdd(key, pending); present != pending; present = _pending.GetOrAdd(key, pending))
        {
            if (present.Began(beginning))
            {
                // The same ClientHello arrived on another thread.
                _ = pending.GiveUp();
                _handshakes.Remove(pending);
                return true;
            }

            // It is over, but its session is just being added; or the client began yet another one on another thread.
            if (_pending.TryUpdate(key, pending, present))
            {
                GiveUp(present, s_replaced);
                break;
            }
        }

        _server.Counters.AddStarted();
        bool isOver = !pending.Post(datagram);
        if (Volatile.Read(ref _isStopped))
        {
            _ = pending.GiveUp();
            isOver = true;
        }
        else if (grant is { } given && _server.Steering?.Holds(given) == false)
        {
            _ = pending.GiveUp();
            isOver = true;
        }

        if (isOver)
        {
            // Another thread already needed its place, or the server is stopping.
            Forget(pending);
        }

        return true;
    }

    /// <summary>Reports a failed handshake, once for all copies of its ClientHello.</summary>
    /// <param name="path">The path to the client.</param>
    /// <param name="beginning">The part of its ClientHello before the cookie.</param>
    /// <param name="identity">The identity that the client claims; null for none.</param>
    /// <param name="end">Why it failed.</param>
    public void Report(in DtlsPath path, ReadOnlySpan<byte> beginning, string? identity, HandshakeFailureReason end)
    {
        if (!_failed.IsCopy(path, beginning))
        {
            _server.HandshakeFailed?.Invoke(new FailedClientHandshake(path, identity, end));
        }
    }

    private void GiveUp(PendingHandshake pending, HandshakeFailureReason why)
    {
        if (pending.GiveUp())
        {
            _server.OnFailed(pending, pending.ExplainEnd(why));
        }
    }

    /// <summary>Removes a finished handshake.</summary>
    /// <param name="pending">The handshake.</param>
    public void Forget(PendingHandshake pending)
    {
        _pending.TryRemove(new KeyValuePair<DtlsPath, PendingHandshake>(KeyOf(pending.Path), pending));
        _handshakes.Remove(pending);
        if (Volatile.Read(ref _waiters).Count > 0)
        {
            EndWaiting();
        }
    }

    // Datagrams of one handshake may arrive through several servers.
    private DtlsPath KeyOf(in DtlsPath path) => _sessions.IsShared ? new DtlsPath(path.Remote, default, 0) : path;

    private void EndWaiting()
    {
        List<TaskCompletionSource> done = [];
        lock (_gate)
        {
            HashSet<byte?> busy = [.. _pending.Values.Select(static pending => pending.Grant?.Slot)];
            done.AddRange(_waiters.Where(waiter => !busy.Contains(waiter.Slot)).Select(static waiter => waiter.Done));
            _waiters = [.. _waiters.Where(waiter => busy.Contains(waiter.Slot))];
        }

        done.ForEach(static one => one.SetResult());
    }

    /// <summary>Returns what a handshake uses.</summary>
    /// <param name="serverName">The host name that the client requests; null for none.</param>
    public ServerHandshakeSettings RulesFor(string? serverName) => _server.SelectRules?.Invoke(serverName) ?? _rules;

    // On a handshake thread, because the selection of credentials is code of the application.
    private ServerHandshake Make(byte[] clientHello, ClusterSlotPermit? grant, DtlsPath path)
    {
        string? serverName = _server.SelectRules is null ? null : ClientHello.ServerNameOf(clientHello);
        ServerHandshakeSettings rules = RulesFor(serverName);
        return new ServerHandshake(rules.Context, () => MakeCid(grant))
        {
            Validate = rules.Validate,
            ValidateRawPublicKey = _server.ValidateRawPublicKey,
            SessionIds = new SessionIdGenerator(_server.Random, grant?.Slot),
            KeepsClientCredentials = _server.CanResume || _server.SessionBackup is not null,
            ServerName = serverName,
            Trace = _server.Trace is { } trace ? step => trace(path, step) : null,
        };
    }

    private byte[] MakeCid(ClusterSlotPermit? grant)
    {
        byte[] cid = new byte[DtlsServer.CidLength];
        do
        {
            _server.Random.Fill(cid);
            cid[0] = grant?.Slot ?? cid[0];
        }
        while (_sessions.Find(cid) is not null);
        return cid;
    }
}

/// <summary>
/// Recognises copies of a ClientHello whose handshake has failed. A client repeats it because it does not trust the unprotected alert, and
/// the handshake fails again: the log and the counters of the endpoint have it once. Of fixed size; a flood of other failures makes it
/// forget. Thread-safe.
/// </summary>
internal sealed class FailedClientHelloCache
{
    private const int Size = 256;
    private const long IsSet = 1L << 32;

    private readonly long[] _hellos = new long[Size];

    /// <summary>Whether the same ClientHello failed before; remembers it.</summary>
    /// <param name="path">The path to the client.</param>
    /// <param name="beginning">The part of the ClientHello before the cookie, which has its random number.</param>
    public bool IsCopy(in DtlsPath path, ReadOnlySpan<byte> beginning)
    {
        HashCode hash = default;
        hash.Add(path.Remote);
        hash.AddBytes(beginning);
        uint value = (uint)hash.ToHashCode();
        return Interlocked.Exchange(ref _hellos[value % Size], value | IsSet) == (value | IsSet);
    }
}
