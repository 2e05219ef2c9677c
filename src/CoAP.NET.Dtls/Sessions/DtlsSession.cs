using System.Buffers;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>An established session: keys, numbers, where the peer is. Nothing native. Thread safe.</summary>
internal sealed class DtlsSession
{
    /// <summary>How long the last flight of a handshake may have to be said again: twice the longest life of a datagram (RFC 6347 section 4.2.4).</summary>
    public static readonly TimeSpan LastFlightLifetime = TimeSpan.FromMinutes(4);

    // RFC 9147 section 4.5.3: with tags of 8 bytes a forger may have 2^23.5 tries at most; far less is far more than accidents.
    private const long MaxForgeries = 1 << 20;

    private const int StackBytes = 1_536;
    private const byte WarningLevel = 1;
    private const byte CloseNotify = 0;
    private const byte NoRenegotiation = 100;
    private const byte HelloRequest = 0;
    private const byte ClientHello = 1;

    private readonly Lock _gate = new();
    private readonly IDtlsSink _sink;
    private readonly TimeProvider _time;
    private readonly RecordLayer _records;
    private readonly long _since;
    private byte[] _lastFlight;
    private ulong _nextPlainSequence;
    private DtlsPath _path;
    private long _lastReceived;
    private bool _isClosed;

    /// <summary>Makes a session of what its handshake left.</summary>
    /// <param name="established">What the handshake left.</param>
    /// <param name="path">Where the peer is.</param>
    /// <param name="sink">Whom it talks to.</param>
    /// <param name="time">The clock.</param>
    public DtlsSession(Established established, in DtlsPath path, IDtlsSink sink, TimeProvider time)
    {
        _records = established.Records;
        _lastFlight = established.LastFlight;
        _nextPlainSequence = established.NextPlainSequence;
        PskIdentity = established.PskIdentity;
        PeerCertificate = established.PeerCertificate;
        PeerPublicKey = established.PeerPublicKey;
        _path = path;
        _sink = sink;
        _time = time;
        _since = _lastReceived = time.GetTimestamp();
        OwnCid = established.Records.OwnCid.ToArray();
    }

    /// <summary>Whose it is above; set once, before anything is delivered.</summary>
    public object? Owner { get; set; }

    /// <summary>Whether this end opened it.</summary>
    public bool IsInitiator { get; init; }

    /// <summary>The name of the server that the client asked for (RFC 6066 section 3); null without.</summary>
    public string? ServerName { get; init; }

    /// <summary>Who the client is, by a pre-shared key.</summary>
    public string? PskIdentity { get; }

    /// <summary>Who the peer is, by its certificate.</summary>
    public X509Certificate2? PeerCertificate { get; }

    /// <summary>Who the peer is, by its raw public key: SubjectPublicKeyInfo in DER (RFC 7250); empty without.</summary>
    public ReadOnlyMemory<byte> PeerPublicKey { get; }

    /// <summary>The Connection ID in records to this end; empty without.</summary>
    public byte[] OwnCid { get; }

    /// <summary>Whether records of the client carry a Connection ID.</summary>
    public bool HasConnectionId => (IsInitiator ? _records.PeerCid : _records.OwnCid).Length > 0;

    /// <summary>How its records are protected.</summary>
    public CipherSuite Suite => _records.Suite;

    /// <summary>Where the peer is.</summary>
    public DtlsPath Path
    {
        get
        {
            lock (_gate)
            {
                return _path;
            }
        }
    }

    /// <summary>How long nothing authentic came.</summary>
    public TimeSpan Idle => _time.GetElapsedTime(Volatile.Read(ref _lastReceived));

    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Sends a message.</summary>
    /// <param name="content">The message.</param>
    /// <returns>Whether it was sent; false once the session has ended.</returns>
    public bool Send(ReadOnlySpan<byte> content) => SendRecord(ContentType.ApplicationData, content);

    /// <summary>Takes a record of the peer.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record; opened in place.</param>
    /// <param name="path">How it came.</param>
    /// <returns>What became of it.</returns>
    public OpenResult Receive(in RecordHeader header, Span<byte> record, in DtlsPath path)
    {
        OpenResult result;
        ContentType type;
        Range content;
        DtlsPath before;
        bool moves;
        lock (_gate)
        {
            if (_isClosed)
            {
                return OpenResult.Foreign;
            }

            result = _records.Open(header, record, out type, out content, out bool isNewest);
            before = _path;
            moves = result == OpenResult.Opened && isNewest && path != before;
            if (result == OpenResult.Opened)
            {
                _lastReceived = _time.GetTimestamp();
                if (moves)
                {
                    _path = path;
                }
            }
        }

        if (result != OpenResult.Opened)
        {
            if (result == OpenResult.Forged && _records.Forgeries > MaxForgeries)
            {
                End(DtlsEnd.Exhausted, tells: true);
            }

            return result;
        }

        if (moves && path.Remote != before.Remote)
        {
            _sink.Moved(this, before);
        }

        OnContent(type, record[content], path);
        return result;
    }

    /// <summary>Ends it.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="tells">Whether the peer is told (close_notify, RFC 5246 section 7.2.1).</param>
    /// <returns>Whether it had not ended before.</returns>
    public bool End(DtlsEnd reason, bool tells)
    {
        if (tells)
        {
            _ = SendRecord(ContentType.Alert, [WarningLevel, CloseNotify]);
        }

        lock (_gate)
        {
            if (_isClosed)
            {
                return false;
            }

            _isClosed = true;
            _records.Clear();
            _lastFlight = [];
        }

        _sink.Closed(this, reason);
        return true;
    }

    private void OnContent(ContentType type, ReadOnlySpan<byte> content, in DtlsPath path)
    {
        switch (type)
        {
            case ContentType.ApplicationData:
                _sink.Received(this, path, content);
                break;
            case ContentType.Handshake when content.Length > 0 && content[0] is HelloRequest or ClientHello:
                // Renegotiation is never begun, and refused (RFC 5746 section 4, RFC 7925 section 17).
                _ = SendRecord(ContentType.Alert, [WarningLevel, NoRenegotiation]);
                break;
            case ContentType.Handshake:
                // The peer says its Finished again, so it has not heard ours.
                SendLastFlight();
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

    private bool SendRecord(ContentType type, ReadOnlySpan<byte> content)
    {
        byte[]? rented = null;
        int length;
        DtlsPath path;
        Span<byte> record = stackalloc byte[StackBytes];
        lock (_gate)
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

            length = _records.Seal(type, content, record);
        }

        if (length > 0)
        {
            _sink.Send(path, record[..length]);
        }

        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }

        if (length > 0)
        {
            return true;
        }

        End(DtlsEnd.Exhausted, tells: false);
        return false;
    }

    private void SendLastFlight()
    {
        DtlsPath path;
        byte[] datagram;
        lock (_gate)
        {
            if (_lastFlight.Length == 0 || _isClosed)
            {
                return;
            }

            if (_time.GetElapsedTime(_since) > LastFlightLifetime)
            {
                _lastFlight = [];
                return;
            }

            path = _path;
            datagram = MakeLastFlight();
        }

        _sink.Send(path, datagram);
    }

    private byte[] MakeLastFlight()
    {
        RecordHeader change = new(ContentType.ChangeCipherSpec, 0, _nextPlainSequence++, 0, 1);
        byte[] datagram = new byte[RecordHeader.Size + 1 + _records.RecordLength(_lastFlight.Length)];
        change.Write(datagram, []);
        datagram[RecordHeader.Size] = 1;
        int sealedLength = _records.Seal(ContentType.Handshake, _lastFlight, datagram.AsSpan(RecordHeader.Size + 1));
        return sealedLength > 0 ? datagram : [];
    }
}
