using System.Buffers;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>An established session: keys, numbers, where the peer is. Nothing native. Thread safe.</summary>
internal class DtlsSession : IShared
{
    /// <summary>The ones that were heard of just before and after it: of <see cref="SessionOrder"/>.</summary>
    public ChainLinks<DtlsSession> Neighbours;

    /// <summary>After so many records that are not authentic the rest of a datagram is dropped.</summary>
    public const int MaxForgeriesOfDatagram = 2;

    /// <summary>How long the last flight of a handshake may have to be said again: twice the longest life of a datagram (RFC 6347 section
    /// 4.2.4).</summary>
    public static readonly TimeSpan LastFlightLifetime = TimeSpan.FromMinutes(4);

    private const int StackBytes = 1_536;

    // With a Connection ID of any length.
    private const int AlertBytes = 320;
    private const byte WarningLevel = 1;
    private const byte CloseNotify = 0;
    private const byte NoRenegotiation = 100;
    private const byte HelloRequest = 0;
    private const byte ClientHello = 1;
    private const byte Finished = 20;

    // Who finds it, and what all sessions there have in common: one reference, as there may be many.
    private readonly IDtlsSessionHome _home;

    // Also the lock of all that changes: there may be many sessions, and nobody else has it.
    private readonly RecordLayer _records;
    private readonly More? _more;
    private LastFlight? _lastFlight;
    private DtlsPath _path;
    private long _lastReceived;
    private bool _isClosed;

    // What the table keeps of it: under the lock of the table.
    private long _touched;
    private bool _isHidden;

    /// <summary>Makes a session that nobody finds: whoever receives looks.</summary>
    /// <param name="established">What the handshake left.</param>
    /// <param name="path">Where the peer is.</param>
    /// <param name="sink">Whom it talks to.</param>
    /// <param name="time">The clock.</param>
    public DtlsSession(Established established, in DtlsPath path, IDtlsSink sink, TimeProvider time)
        : this(established, path, new NoSessionHome(sink, time), isInitiator: false, null)
    {
    }

    /// <summary>Makes a session of what its handshake left.</summary>
    /// <param name="established">What the handshake left.</param>
    /// <param name="path">Where the peer is.</param>
    /// <param name="home">Who finds it by path and Connection ID, and is told when it moves or ends.</param>
    /// <param name="isInitiator">Whether this end opened it.</param>
    /// <param name="serverName">The name of the server that the client asked for (RFC 6066 section 3); null without.</param>
    public DtlsSession(Established established, in DtlsPath path, IDtlsSessionHome home, bool isInitiator, string? serverName)
    {
        _records = established.Records;
        PskIdentity = established.PskIdentity;
        IsInitiator = isInitiator;
        if (established.ResumptionId is { } id)
        {
            _records.ResumptionId = id;
        }

        if (established.PeerCertificate is not null || !established.PeerPublicKey.IsEmpty || serverName is not null)
        {
            _more = new More(established.PeerCertificate, established.PeerPublicKey, serverName);
        }

        _path = path;
        _home = home;
        _lastReceived = home.Time.GetTimestamp();
        _lastFlight = established.LastFlight.Length == 0
            ? null
            : new LastFlight(established.LastFlight, _lastReceived, established.NextPlainSequence);
    }

    /// <summary>Who finds it by path and Connection ID, and is told when it moves or ends.</summary>
    public IDtlsSessionHome Home
    {
        private protected get => _home;
        init => _home = value;
    }

    /// <summary>How long nothing had come before it was made, as of one that was saved.</summary>
    public TimeSpan WasIdleFor
    {
        init => _lastReceived -= (long)(value.TotalSeconds * _home.Time.TimestampFrequency);
    }

    /// <summary>Whose it is above; set once, before anything is delivered.</summary>
    public object? Owner { get; set; }

    /// <summary>Whether this end opened it.</summary>
    public bool IsInitiator { get; init; }

    /// <summary>The name of the server that the client asked for (RFC 6066 section 3); null without.</summary>
    public string? ServerName => _more?.ServerName;

    /// <summary>Who the client is, by a pre-shared key.</summary>
    public string? PskIdentity { get; }

    /// <summary>Who the peer is, by its certificate.</summary>
    public X509Certificate2? PeerCertificate => _more?.Certificate;

    /// <summary>Who the peer is, by its raw public key: SubjectPublicKeyInfo in DER (RFC 7250); empty without.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey => _more?.PublicKey ?? default;

    /// <summary>By what the client may ask to resume it (RFC 5246 section 7.3); empty: by nothing.</summary>
    public ReadOnlySpan<byte> ResumptionId => _records.ResumptionId;

    /// <summary>The Connection ID in records to this end; empty without.</summary>
    public ReadOnlySpan<byte> OwnCid => _records.OwnCid;

    /// <summary>Which of the slots it is in that several servers share; null when it is in none.</summary>
    public virtual byte? Slot => HasCid ? OwnCid[0] : null;

    /// <summary>Whether records to this end carry a Connection ID.</summary>
    public bool HasCid => OwnCid.Length > 0;

    /// <summary>Whether records of the client carry a Connection ID.</summary>
    public bool HasConnectionId => (IsInitiator ? _records.PeerCid : _records.OwnCid).Length > 0;

    /// <summary>How much larger than its content a record to the peer is, in bytes.</summary>
    public int SentOverhead => _records.RecordLength(0);

    /// <summary>How much larger than its content a record of the peer is, in bytes, without padding.</summary>
    public int ReceivedOverhead => RecordHeader.Size + Suite.Expansion + (HasCid ? OwnCid.Length + 1 : 0);

    /// <summary>How its records are protected.</summary>
    public CipherSuite Suite => _records.Suite;

    /// <summary>Where the peer is.</summary>
    public DtlsPath Path
    {
        get
        {
            lock (_records)
            {
                return _path;
            }
        }
    }

    /// <summary>
    /// The same without the lock, of a session without a Connection ID, as it is found by it: it never changes, but for what does not tell
    /// it apart where sessions are shared (<see cref="SessionTable.IsShared"/>).
    /// </summary>
    public ref readonly DtlsPath FixedPath => ref _path;

    /// <summary>How long nothing authentic came.</summary>
    public TimeSpan Idle => _home.Time.GetElapsedTime(LastReceived);

    /// <summary>When something authentic came last, by the clock's timestamp.</summary>
    public long LastReceived => Volatile.Read(ref _lastReceived);

    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Its keys and numbers; also its lock.</summary>
    private protected RecordLayer Records => _records;

    /// <summary>Whether nothing can be taken, as nothing could be answered. Under the lock of the records.</summary>
    private protected virtual bool IsHeldUp => false;

    /// <summary>Whether the last flight of the handshake is kept.</summary>
    public bool HasLastFlight => Volatile.Read(ref _lastFlight) is not null;

    /// <summary>Whether the handshake showed who the peer is.</summary>
    public bool IsKnown => PskIdentity is not null || PeerCertificate is not null || !PeerPublicKey.IsEmpty;

    /// <summary>Whether the table has it.</summary>
    public bool IsListed { get; set; }

    /// <summary>Where its peer is, as <see cref="SourceKeys"/> has it.</summary>
    public uint Source { get; set; }

    /// <summary>When it was last heard of.</summary>
    public long LastOfUse => LastReceived;

    /// <summary>When it was last put at the end of the order, by the clock's timestamp. Read without the lock.</summary>
    public long Touched
    {
        get => Volatile.Read(ref _touched);
        set => Volatile.Write(ref _touched, value);
    }

    /// <summary>Whether another session was heard later from the path that it has. Read without the lock.</summary>
    public bool IsHidden
    {
        get => Volatile.Read(ref _isHidden);
        set => Volatile.Write(ref _isHidden, value);
    }

    /// <summary>Whether another session is of the same peer, as far as the handshakes showed who that is.</summary>
    /// <param name="other">The other session.</param>
    public bool HasPeerOf(DtlsSession other) =>
        PskIdentity == other.PskIdentity
        && PeerPublicKey.Span.SequenceEqual(other.PeerPublicKey.Span)
        && (PeerCertificate is null
            ? other.PeerCertificate is null
            : other.PeerCertificate is not null
                && PeerCertificate.RawDataMemory.Span.SequenceEqual(other.PeerCertificate.RawDataMemory.Span));

    /// <summary>Forgets the last flight of the handshake once nobody asks for it any more.</summary>
    /// <returns>Whether it is forgotten.</returns>
    public bool TryDropLastFlight()
    {
        lock (_records)
        {
            if (_lastFlight is not null && _home.Time.GetElapsedTime(_lastFlight.Since) > LastFlightLifetime)
            {
                _lastFlight = null;
            }

            return _lastFlight is null;
        }
    }

    /// <summary>Overwrites the keys of a session that nobody was told of.</summary>
    public void Discard()
    {
        lock (_records)
        {
            Volatile.Write(ref _isClosed, true);
            _records.Clear();
        }
    }

    /// <summary>Sends a message.</summary>
    /// <param name="content">The message.</param>
    /// <returns>Whether it was sent; false once the session has ended, and while it waits for numbers, with which it may be sent.</returns>
    public bool Send(ReadOnlySpan<byte> content)
    {
        byte[]? rented = null;
        int length;
        bool isLow;
        DtlsPath path;
        Span<byte> record = stackalloc byte[StackBytes];
        lock (_records)
        {
            if (_isClosed)
            {
                return false;
            }

            path = _path;
            length = _records.RecordLength(content.Length);
            if (length > StackBytes)
            {
                record = rented = ArrayPool<byte>.Shared.Rent(length);
            }

            // The last numbers, and what the keys may still encrypt, are for saying that it ends.
            isLow = _records.IsRunningLow;
            length = isLow && _records.IsAlmostUsedUp ? 0 : _records.Seal(ContentType.ApplicationData, content, record);
        }

        if (length > 0)
        {
            _home.Sink.Send(path, record[..length]);
        }

        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        if (length > 0)
        {
            _ = isLow && FindsNumbers();
            return true;
        }

        if (FindsNumbers())
        {
            return SendWhenFound(content);
        }

        End(DtlsEnd.Exhausted, tells: true);
        return false;
    }

    /// <summary>Takes a record of the peer.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record; opened in place.</param>
    /// <param name="path">How it came.</param>
    /// <param name="holdsBack">Whether a request counts as not received (<see cref="OpenResult.HeldBack"/>).</param>
    /// <returns>What became of it.</returns>
    public OpenResult Receive(in RecordHeader header, Span<byte> record, in DtlsPath path, bool holdsBack = false)
    {
        OpenResult result;
        ContentType type;
        Range content;
        DtlsPath before;
        bool moves;
        bool isBeyond;
        lock (_records)
        {
            if (_isClosed || IsHeldUp)
            {
                return _isClosed ? OpenResult.Foreign : OpenResult.HeldUp;
            }

            ReplayWindow window = _records.Window;
            result = _records.Open(header, record, out type, out content, out bool isNewest);
            if (holdsBack && result == OpenResult.Opened && type == ContentType.ApplicationData && MessageKind.IsRequest(record[content]))
            {
                _records.Window = window;
                return OpenResult.HeldBack;
            }

            before = _path;
            moves = result == OpenResult.Opened && isNewest && path != before;
            isBeyond = result == OpenResult.Forged && _records.Forgeries > Math.Min(_home.MaxForgeries, Suite.MaxForgeries);
            if (result == OpenResult.Opened)
            {
                Volatile.Write(ref _lastReceived, _home.Time.GetTimestamp());
                if (moves)
                {
                    _path = path;
                }
            }
        }

        if (isBeyond)
        {
            End(DtlsEnd.Exhausted, tells: true);
        }

        if (result != OpenResult.Opened)
        {
            return result;
        }

        if (moves)
        {
            _home.OnMoved(this, before, path);
            if (path.Remote != before.Remote)
            {
                _home.Sink.Moved(this, before);
            }
        }

        OnContent(type, record[content], path, header.Sequence);
        return result;
    }

    /// <summary>The last record that was counted as forged is of another session over the same path.</summary>
    public void Forgive()
    {
        lock (_records)
        {
            _records.Forgive();
        }
    }

    /// <summary>Leaves numbers of outgoing records out.</summary>
    /// <param name="sequence">The first that may be used.</param>
    /// <exception cref="ArgumentOutOfRangeException">Numbers from there on were used already.</exception>
    public void SkipTo(ulong sequence)
    {
        lock (_records)
        {
            _records.SkipTo(sequence);
        }
    }

    /// <summary>Ends it.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="tells">Whether the peer is told (close_notify, RFC 5246 section 7.2.1).</param>
    /// <returns>Whether it had not ended before.</returns>
    public bool End(DtlsEnd reason, bool tells)
    {
        Span<byte> alert = stackalloc byte[AlertBytes];
        int length = 0;
        DtlsPath path;
        lock (_records)
        {
            if (_isClosed)
            {
                return false;
            }

            path = _path;
            if (tells)
            {
                length = _records.Seal(ContentType.Alert, [WarningLevel, CloseNotify], alert);
            }

            Volatile.Write(ref _isClosed, true);
            _records.Clear();
            _lastFlight = null;
        }

        _home.OnEnded(this, reason);
        if (length > 0)
        {
            _home.Sink.Send(path, alert[..length]);
        }

        _home.Sink.Closed(this, reason);
        return true;
    }

    /// <summary>Has somebody take a message.</summary>
    /// <param name="path">How it came.</param>
    /// <param name="content">The message.</param>
    /// <param name="sequence">The number of its record.</param>
    private protected virtual void Deliver(in DtlsPath path, ReadOnlySpan<byte> content, ulong sequence) =>
        _home.Sink.Received(this, path, content);

    /// <summary>Looks for further numbers when few are left.</summary>
    /// <returns>Whether there are some, or will be.</returns>
    private protected virtual bool FindsNumbers() => false;

    /// <summary>Sends a message for which there was no number, when <see cref="FindsNumbers"/> has found some.</summary>
    /// <param name="content">The message.</param>
    /// <returns>Whether it was sent by now.</returns>
    private protected virtual bool SendWhenFound(ReadOnlySpan<byte> content) => false;

    private void OnContent(ContentType type, ReadOnlySpan<byte> content, in DtlsPath path, ulong sequence)
    {
        switch (type)
        {
            // An empty one only hides how much is said (RFC 5246 section 6.2.1).
            case ContentType.ApplicationData when content.Length > 0:
                Deliver(path, content, sequence);
                break;
            case ContentType.Handshake when content.Length > 0 && content[0] == Finished:
                // The peer says its Finished again, so it has not heard ours.
                SendLastFlight();
                break;
            case ContentType.Handshake when content.Length > 0 && content[0] is (HelloRequest or ClientHello):
                RefuseRenegotiation();
                break;
            case ContentType.Alert when content.Length == 2 && content[1] == CloseNotify:
                End(DtlsEnd.ClosedByPeer, tells: true);
                break;
            case ContentType.Alert when content.Length == 2 && content[0] != WarningLevel:
                End(DtlsEnd.FailedByPeer, tells: false);
                break;
            default:
                break;
        }
    }

    // Renegotiation is never begun, and refused (RFC 5746 section 4, RFC 7925 section 17).
    private void RefuseRenegotiation()
    {
        Span<byte> alert = stackalloc byte[AlertBytes];
        int length;
        DtlsPath path;
        lock (_records)
        {
            if (_isClosed || _records.IsAlmostUsedUp)
            {
                return;
            }

            path = _path;
            length = _records.Seal(ContentType.Alert, [WarningLevel, NoRenegotiation], alert);
        }

        _home.Sink.Send(path, alert[..length]);
    }

    private void SendLastFlight()
    {
        if (TryDropLastFlight())
        {
            return;
        }

        DtlsPath path;
        byte[] datagram;
        lock (_records)
        {
            if (_isClosed || _records.IsAlmostUsedUp || _lastFlight is not { } flight)
            {
                return;
            }

            path = _path;
            datagram = flight.Make(_records);
        }

        _home.Sink.Send(path, datagram);
    }

    // What sessions by a pre-shared key, of which there may be very many, mostly have not.
    private sealed record More(X509Certificate2? Certificate, ReadOnlyMemory<byte> PublicKey, string? ServerName);
}
