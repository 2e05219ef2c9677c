using System.Buffers;
using System.Runtime.CompilerServices;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>An established session: keys, numbers, and the peer's path. Holds no native resource. Thread-safe.</summary>
internal class DtlsSession : ISourceOwned
{
    /// <summary>The sessions before and after it in <see cref="SessionOrder"/>.</summary>
    public ListLinks<DtlsSession> Neighbours;

    /// <summary>Number of records in a datagram that may fail authentication before the session drops the rest.</summary>
    public const int MaxForgeriesOfDatagram = 2;

    /// <summary>How long the last flight may be repeated: twice the longest life of a datagram (RFC 6347 section 4.2.4).</summary>
    public static readonly TimeSpan LastFlightLifetime = TimeSpan.FromMinutes(4);

    private const int StackBytes = 1_536;

    // With a Connection ID of any length.
    private const int AlertBytes = 320;
    private const byte WarningLevel = 1;
    private const byte HelloRequest = 0;
    private const byte ClientHello = 1;

    // Finds the session, and has everything that all sessions there share: one reference, because there may be many sessions.
    private readonly IDtlsSessionOwner _owner;

    // Also the lock of all mutable state: there may be many sessions, and no other code uses this object.
    private readonly RecordLayer _records;
    private RareFields? _rare;
    private LastFlight? _lastFlight;
    private DtlsPath _path;
    private long _lastReceived;
    private bool _isClosed;

    // The table's state of the session: under the lock of the table.
    private long _touched;
    private bool _isHidden;

    /// <summary>Creates a session outside of any table: the receiver looks it up itself.</summary>
    /// <param name="established">The result of the handshake.</param>
    /// <param name="path">The path to the peer.</param>
    /// <param name="sink">Receives its output.</param>
    /// <param name="time">The clock.</param>
    public DtlsSession(HandshakeResult established, in DtlsPath path, IDtlsSessionOutput sink, TimeProvider time)
        : this(established, path, new NullSessionRegistry(sink, time), isInitiator: false, null)
    {
    }

    /// <summary>Creates a session from the result of its handshake.</summary>
    /// <param name="established">The result of the handshake.</param>
    /// <param name="path">The path to the peer.</param>
    /// <param name="owner">Finds the session by path and Connection ID; the session notifies it of a move or its end.</param>
    /// <param name="isInitiator">Whether this end opened it.</param>
    /// <param name="serverName">The name of the server that the client requested (RFC 6066 section 3); null without one.</param>
    public DtlsSession(HandshakeResult established, in DtlsPath path, IDtlsSessionOwner owner, bool isInitiator, string? serverName)
    {
        _records = established.Records;
        PskIdentity = established.PskIdentity;
        IsInitiator = isInitiator;
        ChecksPaths = established.ChecksPaths;
        MaxContent = (ushort)established.MaxContent;
        if (established.ResumptionId is { } id)
        {
            _records.ResumptionId = id;
        }

        if (established.PeerCertificate is not null || !established.PeerPublicKey.IsEmpty || serverName is not null)
        {
            _rare = new RareFields
            {
                Certificate = established.PeerCertificate,
                PublicKey = established.PeerPublicKey,
                ServerName = serverName,
            };
        }

        _path = path;
        _owner = owner;
        _lastReceived = owner.Time.GetTimestamp();
        _lastFlight = established.LastFlight.Length == 0
            ? null
            : new LastFlight(established.LastFlight, _lastReceived, established.NextPlainSequence);
    }

    /// <summary>Finds the session by path and Connection ID; the session notifies it of a move or its end.</summary>
    public IDtlsSessionOwner Home
    {
        private protected get => _owner;
        init => _owner = value;
    }

    /// <summary>How long the session was silent before its creation, for one that was saved.</summary>
    public TimeSpan WasIdleFor
    {
        init => _lastReceived -= (long)(value.TotalSeconds * _owner.Time.TimestampFrequency);
    }

    /// <summary>The owner above; set once, before the first message.</summary>
    public object? Owner { get; set; }

    /// <summary>Whether this end opened it.</summary>
    public bool IsInitiator { get; init; }

    /// <summary>Whether both ends check paths (RFC 9853); otherwise the endpoint checks by messages of CoAP.</summary>
    public bool ChecksPaths { get; }

    /// <summary>The name of the server that the client requested (RFC 6066 section 3); null without one.</summary>
    public string? ServerName => _rare?.ServerName;

    /// <summary>The client's identity, with a pre-shared key.</summary>
    public string? PskIdentity { get; }

    /// <summary>The peer's certificate.</summary>
    public X509Certificate2? PeerCertificate => _rare?.Certificate;

    /// <summary>The peer's raw public key: SubjectPublicKeyInfo in DER (RFC 7250); empty without one.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey => _rare?.PublicKey ?? default;

    /// <summary>The name by which the client may ask to resume it (RFC 5246 section 7.3); empty for none.</summary>
    public ReadOnlySpan<byte> ResumptionId => _records.ResumptionId;

    /// <summary>The Connection ID in records to this end; empty without one.</summary>
    public ReadOnlySpan<byte> OwnCid => _records.OwnCid;

    /// <summary>Its slot, if several servers share slots; null otherwise.</summary>
    public virtual byte? Slot => HasCid ? OwnCid[0] : null;

    /// <summary>Whether records to this end carry a Connection ID.</summary>
    public bool HasCid => OwnCid.Length > 0;

    /// <summary>Whether records of the client carry a Connection ID.</summary>
    public bool HasConnectionId => (IsInitiator ? _records.PeerCid : _records.OwnCid).Length > 0;

    /// <summary>Maximum bytes of a message to the peer (RFC 8449).</summary>
    public ushort MaxContent { get; init; }

    /// <summary>Bytes that a record to the peer adds to its content.</summary>
    public int SentOverhead => _records.RecordLength(0);

    /// <summary>Bytes that a record of the peer adds to its content, without padding.</summary>
    public int ReceivedOverhead => RecordHeader.Size + Suite.Expansion + (HasCid ? OwnCid.Length + 1 : 0);

    /// <summary>The protection of its records.</summary>
    public CipherSuite Suite => _records.Suite;

    /// <summary>The path to the peer.</summary>
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
    /// The path at which the peer last showed that it receives: the former one while the check of a new one is pending, or else the
    /// current one.
    /// </summary>
    public DtlsPath ConfirmedPath
    {
        get
        {
            lock (_records)
            {
                return _rare?.Former?.Path ?? _path;
            }
        }
    }

    /// <summary>Whether the peer has moved and <see cref="ConfirmedPath"/> still gets what goes out.</summary>
    public bool HasFormerPath
    {
        get
        {
            lock (_records)
            {
                return _rare?.Former is not null;
            }
        }
    }

    /// <summary>The path without the lock, for a session without a Connection ID. Its identifying parts never change.</summary>
    public ref readonly DtlsPath FixedPath => ref _path;

    /// <summary>Time since the last authentic record.</summary>
    public TimeSpan Idle => _owner.Time.GetElapsedTime(LastReceived);

    /// <summary>Time of the last authentic record, by the clock's timestamp.</summary>
    public long LastReceived => Volatile.Read(ref _lastReceived);

    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Its keys and numbers; also its lock.</summary>
    private protected RecordLayer Records => _records;

    /// <summary>Whether the session accepts and sends nothing because it could not answer. Under the lock of the records.</summary>
    private protected virtual bool IsHeldUp => false;

    /// <summary>Whether it still holds the last flight of the handshake.</summary>
    public bool HasLastFlight => Volatile.Read(ref _lastFlight) is not null;

    /// <summary>Whether the handshake proved the peer's identity.</summary>
    public bool IsKnown => PskIdentity is not null || PeerCertificate is not null || !PeerPublicKey.IsEmpty;

    /// <summary>Whether the table contains it.</summary>
    public bool IsListed { get; set; }

    /// <summary>The source of its peer, as a key of <see cref="SourceHasher"/>.</summary>
    public uint Source { get; set; }

    /// <summary>Time of the last authentic record.</summary>
    public long LastOfUse => LastReceived;

    /// <summary>When it last moved to the end of the order, by the clock's timestamp. Read without the lock.</summary>
    public long Touched
    {
        get => Volatile.Read(ref _touched);
        set => Volatile.Write(ref _touched, value);
    }

    /// <summary>Whether another session received later from its path. Read without the lock.</summary>
    public bool IsHidden
    {
        get => Volatile.Read(ref _isHidden);
        set => Volatile.Write(ref _isHidden, value);
    }

    /// <summary>Whether another session has the same peer, according to the identities that the handshakes proved.</summary>
    /// <param name="other">The other session.</param>
    public bool HasPeerOf(DtlsSession other) =>
        PskIdentity == other.PskIdentity
        && PeerPublicKey.Span.SequenceEqual(other.PeerPublicKey.Span)
        && (PeerCertificate is null
            ? other.PeerCertificate is null
            : other.PeerCertificate is not null
                && PeerCertificate.RawDataMemory.Span.SequenceEqual(other.PeerCertificate.RawDataMemory.Span));

    /// <summary>Discards the last flight of the handshake when no peer can ask for it any more.</summary>
    /// <returns>Whether it is discarded.</returns>
    public bool TryDropLastFlight()
    {
        lock (_records)
        {
            if (_lastFlight is not null && _owner.Time.GetElapsedTime(_lastFlight.Since) > LastFlightLifetime)
            {
                _lastFlight = null;
            }

            return _lastFlight is null;
        }
    }

    /// <summary>Overwrites the keys of a session that never became visible.</summary>
    public void Discard()
    {
        lock (_records)
        {
            Volatile.Write(ref _isClosed, true);
            _records.Clear();
        }
    }

    /// <summary>Sends a message: while the check of a new path is pending, the same record over both.</summary>
    /// <param name="content">The message.</param>
    /// <param name="over">The paths to send it over.</param>
    /// <returns>
    /// Whether it sent the message; false once the session has ended, for a message of more than <see cref="MaxContent"/> bytes, without
    /// such a path, and while it waits for record numbers, after which it may send it.
    /// </returns>
    [SkipLocalsInit]
    public bool Send(ReadOnlySpan<byte> content, DtlsSendPaths over = DtlsSendPaths.All)
    {
        byte[]? rented = null;
        int length;
        bool isLow;
        DtlsPath path;
        FormerPath? former;
        Span<byte> record = stackalloc byte[StackBytes];
        lock (_records)
        {
            former = over == DtlsSendPaths.Newest ? null : _rare?.Former;
            if (_isClosed || content.Length > MaxContent || (over == DtlsSendPaths.Former && former is null))
            {
                return false;
            }

            path = _path;
            length = _records.RecordLength(content.Length);
            if (length > StackBytes)
            {
                record = rented = ArrayPool<byte>.Shared.Rent(length);
            }

            // Reserves the last numbers, and the rest of what the keys may encrypt, for the message that it ends.
            isLow = _records.IsRunningLow;
            length = IsHeldUp || (isLow && _records.IsAlmostUsedUp) ? 0 : _records.Seal(ContentType.ApplicationData, content, record);
        }

        if (length > 0)
        {
            if (over != DtlsSendPaths.Former)
            {
                _owner.Sink.Send(path, record[..length]);
            }

            if (former is not null)
            {
                _owner.Sink.Send(former.Path, record[..length]);
            }
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

        End(DtlsSessionEndReason.Exhausted, tells: true);
        return false;
    }

    /// <summary>Processes a record of the peer.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record; decrypted in place.</param>
    /// <param name="path">The path that it came from.</param>
    /// <param name="holdsBack">Whether a request counts as not received (<see cref="RecordOpenResult.HeldBack"/>).</param>
    /// <returns>The result.</returns>
    public RecordOpenResult Receive(in RecordHeader header, Span<byte> record, in DtlsPath path, bool holdsBack = false)
    {
        RecordOpenResult result;
        ContentType type;
        Range content;
        DtlsPath before;
        bool moves;
        bool isBeyond;
        lock (_records)
        {
            if (_isClosed || IsHeldUp)
            {
                return _isClosed ? RecordOpenResult.Foreign : RecordOpenResult.HeldUp;
            }

            ReplayWindow window = _records.Window;
            result = _records.Open(header, record, out type, out content, out bool isNewest);
            if (holdsBack && result == RecordOpenResult.Opened && type == ContentType.ApplicationData
                && CoapHeaderReader.IsRequest(record[content]))
            {
                _records.Window = window;
                return RecordOpenResult.HeldBack;
            }

            before = _path;
            moves = result == RecordOpenResult.Opened && isNewest && path != before;
            isBeyond = result == RecordOpenResult.Forged && _records.Forgeries > Math.Min(_owner.MaxForgeries, Suite.MaxForgeries);
            if (result == RecordOpenResult.Opened)
            {
                Volatile.Write(ref _lastReceived, _owner.Time.GetTimestamp());
                if (moves)
                {
                    KeepFormer(before, path);
                    _path = path;
                }
            }
        }

        if (isBeyond)
        {
            End(DtlsSessionEndReason.Exhausted, tells: true);
        }

        if (result != RecordOpenResult.Opened)
        {
            return result;
        }

        if (moves)
        {
            _owner.OnMoved(this, before, path);
            if (path.Remote != before.Remote)
            {
                _owner.Sink.Moved(this, before);
            }
        }

        OnContent(type, record[content], path, header.Sequence);
        return result;
    }

    /// <summary>The peer receives at its new path: nothing goes over the former one any more.</summary>
    /// <param name="answered">The address that answered. If the peer has moved again, another check decides.</param>
    public void LeaveFormerPath(in CoapAddress answered)
    {
        lock (_records)
        {
            if (_path.Remote == answered && _rare is { } rare)
            {
                rare.Former = null;
            }
        }
    }

    /// <summary>The peer did not answer at its new path: it has the former one again (RFC 9853 section 5.1).</summary>
    /// <param name="unanswered">The address that did not answer.</param>
    /// <returns>False if there is no former path, or the peer has another address than that.</returns>
    public bool ReturnToFormerPath(in CoapAddress unanswered)
    {
        DtlsPath left;
        DtlsPath path;
        lock (_records)
        {
            if (_isClosed || _path.Remote != unanswered || _rare is not { Former: { } former } rare)
            {
                return false;
            }

            left = _path;
            _path = path = former.Path;
            rare.Former = null;
        }

        _owner.OnMoved(this, left, path);
        return true;
    }

    /// <summary>Sends a path_challenge (RFC 9853). The session knows the last check only.</summary>
    /// <param name="check">The check.</param>
    /// <param name="random">Creates the cookie.</param>
    /// <returns>False if the session has ended.</returns>
    public bool Challenge(ReturnRoutabilityCheck check, CoapRandomSource random)
    {
        Span<byte> message = stackalloc byte[ReturnRoutabilityCheck.MessageLength];
        check.WriteChallenge(random, message);
        Volatile.Write(ref Rare.PathCheck, check);
        return SendCheck(check.Path, message);
    }

    /// <summary>Corrects the counter: the last record counted as forged belongs to another session over the same path.</summary>
    public void Forgive()
    {
        lock (_records)
        {
            _records.Forgive();
        }
    }

    /// <summary>Skips numbers of outgoing records.</summary>
    /// <param name="sequence">The first usable number.</param>
    /// <exception cref="ArgumentOutOfRangeException">The session has already used numbers from there on.</exception>
    public void SkipTo(ulong sequence)
    {
        lock (_records)
        {
            _records.SkipTo(sequence);
        }
    }

    /// <summary>Ends the session.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="tells">Whether to notify the peer (close_notify, RFC 5246 section 7.2.1).</param>
    /// <returns>False if it had already ended.</returns>
    public bool End(DtlsSessionEndReason reason, bool tells)
    {
        Span<byte> alert = stackalloc byte[AlertBytes];
        int length = 0;
        DtlsPath path;
        FormerPath? former;
        lock (_records)
        {
            if (_isClosed)
            {
                return false;
            }

            path = _path;
            former = _rare?.Former;
            if (tells)
            {
                length = _records.Seal(ContentType.Alert, [WarningLevel, (byte)AlertDescription.CloseNotify], alert);
            }

            Volatile.Write(ref _isClosed, true);
            _records.Clear();
            _lastFlight = null;
        }

        _owner.OnEnded(this, reason);
        if (length > 0)
        {
            _owner.Sink.Send(path, alert[..length]);
            if (former is not null)
            {
                _owner.Sink.Send(former.Path, alert[..length]);
            }
        }

        _owner.Sink.Closed(this, reason);
        return true;
    }

    /// <summary>Delivers a message.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="content">The message.</param>
    /// <param name="sequence">The number of its record.</param>
    private protected virtual void Deliver(in DtlsPath path, ReadOnlySpan<byte> content, ulong sequence) =>
        _owner.Sink.Received(this, path, content);

    /// <summary>Obtains further record numbers when few remain.</summary>
    /// <returns>Whether there are some, or will be.</returns>
    private protected virtual bool FindsNumbers() => false;

    /// <summary>Sends a message that had no record number, once <see cref="FindsNumbers"/> has obtained some.</summary>
    /// <param name="content">The message.</param>
    /// <returns>Whether it has sent the message.</returns>
    private protected virtual bool SendWhenFound(ReadOnlySpan<byte> content) => false;

    // Under the lock. After several moves the former path is the one before the first of them.
    private void KeepFormer(in DtlsPath before, in DtlsPath path)
    {
        if (path.Remote == before.Remote)
        {
            return;
        }

        RareFields rare = Rare;
        rare.Former = rare.Former is not { } former ? new FormerPath(before) : former.Path.Remote == path.Remote ? null : former;
    }

    private RareFields Rare => Volatile.Read(ref _rare) ?? Interlocked.CompareExchange(ref _rare, new RareFields(), null) ?? _rare;

    private void OnContent(ContentType type, ReadOnlySpan<byte> content, in DtlsPath path, ulong sequence)
    {
        switch (type)
        {
            // An empty record only hides the amount of traffic (RFC 5246 section 6.2.1).
            case ContentType.ApplicationData when content.Length > 0:
                Deliver(path, content, sequence);
                break;
            case ContentType.Handshake when MessageHeader.TryRead(content, out MessageHeader message)
                && message is { Type: HandshakeType.Finished, Offset: 0 }:
                // The peer repeats its Finished, so it has not received ours. Of fragments the first one counts.
                SendLastFlight();
                break;
            case ContentType.Handshake when content.Length > 0 && content[0] is (HelloRequest or ClientHello):
                RefuseRenegotiation();
                break;
            // RFC 9853 section 3: only where both ends agreed on it.
            case ContentType.ReturnRoutabilityCheck when ChecksPaths && content.Length == ReturnRoutabilityCheck.MessageLength:
                OnPathCheck(content, path);
                break;
            case ContentType.Alert when content.Length == 2 && content[1] == (byte)AlertDescription.CloseNotify:
                End(DtlsSessionEndReason.ClosedByPeer, tells: true);
                break;
            case ContentType.Alert when content.Length == 2 && content[0] != WarningLevel:
                End(DtlsSessionEndReason.FailedByPeer, tells: false);
                break;
            default:
                break;
        }
    }

    private void OnPathCheck(ReadOnlySpan<byte> message, in DtlsPath path)
    {
        Span<byte> answer = stackalloc byte[ReturnRoutabilityCheck.MessageLength];
        DtlsPath current = Path;
        bool isPreferred = path == current;
        if (ReturnRoutabilityCheck.TryWriteAnswer(message, isPreferred, answer))
        {
            _ = SendCheck(isPreferred ? path : current, answer);
        }
        else
        {
            if (Volatile.Read(ref _rare) is { } rare)
            {
                Volatile.Read(ref rare.PathCheck)?.OnAnswer(message, path);
            }
        }
    }

    private bool SendCheck(in DtlsPath path, ReadOnlySpan<byte> message)
    {
        Span<byte> record = stackalloc byte[AlertBytes];
        int length;
        lock (_records)
        {
            if (_isClosed || IsHeldUp || _records.IsAlmostUsedUp)
            {
                return false;
            }

            length = _records.Seal(ContentType.ReturnRoutabilityCheck, message, record);
        }

        _owner.Sink.Send(path, record[..length]);
        return true;
    }

    // The session never begins renegotiation, and refuses it (RFC 5746 section 4, RFC 7925 section 17).
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
            length = _records.Seal(ContentType.Alert, [WarningLevel, (byte)AlertDescription.NoRenegotiation], alert);
        }

        _owner.Sink.Send(path, alert[..length]);
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

        _owner.Sink.Send(path, datagram);
    }

    // Fields that sessions with a pre-shared key, of which there may be very many, mostly do not use.
    private sealed class RareFields
    {
        public ReturnRoutabilityCheck? PathCheck;

        // The path before a move that no check has confirmed. Under the lock of the records.
        public FormerPath? Former;

        public X509Certificate2? Certificate { get; init; }

        public ReadOnlyMemory<byte> PublicKey { get; init; }

        public string? ServerName { get; init; }
    }
}

/// <summary>The paths that a message goes over.</summary>
internal enum DtlsSendPaths
{
    /// <summary>The newest path, and the former one while the check of the newest is pending.</summary>
    All,

    /// <summary>The newest path only, for a message whose answer checks it.</summary>
    Newest,

    /// <summary>The former path only.</summary>
    Former,
}

/// <summary>A path that the peer had before the current one.</summary>
/// <param name="Path">The path.</param>
internal sealed record FormerPath(DtlsPath Path);

/// <summary>Owns sessions that are in no table: the receiver finds them itself.</summary>
/// <param name="sink">Receives the output.</param>
/// <param name="time">The clock.</param>
internal sealed class NullSessionRegistry(IDtlsSessionOutput sink, TimeProvider time) : IDtlsSessionOwner
{
    public IDtlsSessionOutput Sink => sink;

    public TimeProvider Time => time;

    public long MaxForgeries => long.MaxValue;

    public void OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to)
    {
    }

    public void OnEnded(DtlsSession session, DtlsSessionEndReason reason)
    {
    }
}
