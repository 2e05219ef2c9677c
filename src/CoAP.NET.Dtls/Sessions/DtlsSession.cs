using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>An established session: keys, numbers, where the peer is. Nothing native. Thread safe.</summary>
internal sealed partial class DtlsSession
{
    /// <summary>After so many records that are not authentic the rest of a datagram is dropped.</summary>
    public const int MaxForgeriesOfDatagram = 2;

    /// <summary>How long the last flight of a handshake may have to be said again: twice the longest life of a datagram (RFC 6347 section 4.2.4).</summary>
    public static readonly TimeSpan LastFlightLifetime = TimeSpan.FromMinutes(4);

    // Who finds it, and what all sessions there have in common: one reference, as there may be many.
    private readonly IDtlsSessionHome _home;

    // Also the lock of all that changes: there may be many sessions, and nobody else has it.
    private readonly RecordLayer _records;
    private readonly More? _more;
    private LastFlight? _lastFlight;
    private DtlsPath _path;
    private long _lastReceived;
    private bool _isClosed;

    /// <summary>Makes a session that nobody finds: whoever receives looks.</summary>
    /// <param name="established">What the handshake left.</param>
    /// <param name="path">Where the peer is.</param>
    /// <param name="sink">Whom it talks to.</param>
    /// <param name="time">The clock.</param>
    public DtlsSession(Established established, in DtlsPath path, IDtlsSink sink, TimeProvider time)
        : this(established, path, new Nowhere(sink, time), isInitiator: false, null)
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
        if (established.PeerCertificate is not null || !established.PeerPublicKey.IsEmpty || established.ResumptionId is not null || serverName is not null)
        {
            _more = new More(established.PeerCertificate, established.PeerPublicKey, established.ResumptionId, serverName);
        }

        _path = path;
        _home = home;
        _lastReceived = home.Time.GetTimestamp();
        _lastFlight = established.LastFlight.Length == 0 ? null : new LastFlight(established.LastFlight, _lastReceived) { NextPlainSequence = established.NextPlainSequence };
    }

    /// <summary>Who finds it by path and Connection ID, and is told when it moves or ends.</summary>
    public IDtlsSessionHome Home
    {
        init => _home = value;
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

    /// <summary>By what the client may ask to resume it (RFC 5246 section 7.3); null: by nothing.</summary>
    public byte[]? ResumptionId => _more?.ResumptionId;

    /// <summary>The Connection ID in records to this end; empty without.</summary>
    public ReadOnlySpan<byte> OwnCid => _records.OwnCid;

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

    /// <summary>The same without the lock, of a session without a Connection ID: its path never changes, as it is found by it.</summary>
    public ref readonly DtlsPath FixedPath => ref _path;

    /// <summary>How long nothing authentic came.</summary>
    public TimeSpan Idle => _home.Time.GetElapsedTime(LastReceived);

    /// <summary>When something authentic came last, by the clock's timestamp.</summary>
    public long LastReceived => Volatile.Read(ref _lastReceived);

    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Whether the last flight of the handshake is kept.</summary>
    public bool HasLastFlight => Volatile.Read(ref _lastFlight) is not null;

    /// <summary>Whether the handshake showed who the peer is.</summary>
    public bool IsKnown => PskIdentity is not null || PeerCertificate is not null || !PeerPublicKey.IsEmpty;

    /// <summary>Whether another session is of the same peer, as far as the handshakes showed who that is.</summary>
    /// <param name="other">The other session.</param>
    public bool HasPeerOf(DtlsSession other) =>
        PskIdentity == other.PskIdentity
        && PeerPublicKey.Span.SequenceEqual(other.PeerPublicKey.Span)
        && (PeerCertificate is null ? other.PeerCertificate is null : other.PeerCertificate is not null && PeerCertificate.RawDataMemory.Span.SequenceEqual(other.PeerCertificate.RawDataMemory.Span));

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

    private sealed class LastFlight(byte[] bytes, long since)
    {
        public byte[] Bytes => bytes;

        public long Since => since;

        public ulong NextPlainSequence { get; set; }
    }

    // What sessions by a pre-shared key, of which there may be very many, mostly have not.
    private sealed record More(X509Certificate2? Certificate, ReadOnlyMemory<byte> PublicKey, byte[]? ResumptionId, string? ServerName);

    private sealed class Nowhere(IDtlsSink sink, TimeProvider time) : IDtlsSessionHome
    {
        public IDtlsSink Sink => sink;

        public TimeProvider Time => time;

        public long MaxForgeries => long.MaxValue;

        public void OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to)
        {
        }

        public void OnEnded(DtlsSession session, DtlsEnd reason)
        {
        }
    }
}
