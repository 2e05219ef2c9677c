using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// The records of epoch 1 of a session: RFC 6347 section 4.1, with Connection IDs as in RFC 9146. Nothing else remains of a handshake. Not
/// thread-safe: the shard that owns the session holds its lock.
/// </summary>
internal sealed class RecordLayer
{
    /// <summary>
    /// Record numbers to request at a time for a kept session. Another process that continues the session begins after the numbers that
    /// this one may use, so no number, and with it no nonce, occurs twice.
    /// </summary>
    public const ulong NumbersOfReserve = 1UL << 20;

    /// <summary>Maximum bytes of content of any record (RFC 5246 section 6.2.1).</summary>
    public const int MaxPlaintext = 1 << 14;

    /// <summary>Maximum bytes of a Connection ID: peers may choose any length that the length byte can hold (RFC 9146 section 3).</summary>
    public const int MaxCidLength = 255;

    private const ushort Epoch = 1;
    private const ulong SequenceEnd = 1UL << 48;
    private const ulong Reserve = 16;
    private const int NonceLength = CipherSuite.SaltLength + CipherSuite.ExplicitNonceLength;
    private const int AssociatedLength = 13;
    private const int CidAssociatedLength = 23 + MaxCidLength;
    private const int TypeLength = 1;
    private const int BytesOfRecord = CipherSuite.BlocksOfRecord * 16;

    private readonly CipherSuite _suite;
    private readonly bool _isServer;

    // The keys, our Connection ID, the peer's, then the name for resumption: one object, because there may be very many sessions.
    private readonly byte _ownCidLength;
    private readonly byte _peerCidLength;
    private byte[] _bytes;
    private IDisposable? _sealing;
    private IDisposable? _opening;
    private int _forgeries;
    private ReplayWindow _window;
    private ulong _nextSequence;

    // Lower if a backup limits the numbers that the session may use, and reduced by what long records use up of the keys.
    private ulong _end;

    /// <summary>Creates the records of a session.</summary>
    /// <param name="suite">The protection of records.</param>
    /// <param name="keys">The keys, as <see cref="KeyBlock.Derive"/> returns them; copied.</param>
    /// <param name="isServer">Whether this is the server's end.</param>
    /// <param name="ownCid">The Connection ID that records to this end carry; empty: none.</param>
    /// <param name="peerCid">The one that records to the other end carry; empty: none.</param>
    public RecordLayer(CipherSuite suite, ReadOnlySpan<byte> keys, bool isServer, byte[] ownCid, byte[] peerCid)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(keys.Length, suite.KeyBlockLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ownCid.Length, MaxCidLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(peerCid.Length, MaxCidLength);
        _suite = suite;
        _isServer = isServer;
        _end = suite.MaxRecords;
        _ownCidLength = (byte)ownCid.Length;
        _peerCidLength = (byte)peerCid.Length;
        _bytes = [.. keys, .. ownCid, .. peerCid];
    }

    public CipherSuite Suite => _suite;

    /// <summary>The Connection ID that records to this end carry.</summary>
    public ReadOnlySpan<byte> OwnCid => _bytes.AsSpan(_suite.KeyBlockLength, _ownCidLength);

    /// <summary>The Connection ID in records to the peer; empty without one.</summary>
    public ReadOnlySpan<byte> PeerCid => _bytes.AsSpan(_suite.KeyBlockLength + _ownCidLength, _peerCidLength);

    /// <summary>
    /// The name by which the client may ask to resume the session (RFC 5246 section 7.3); empty for none. Set it before first use.
    /// </summary>
    public ReadOnlySpan<byte> ResumptionId
    {
        get => _bytes.AsSpan(_suite.KeyBlockLength + _ownCidLength + _peerCidLength);
        set
        {
            byte[] before = _bytes;
            _bytes = [.. Keys, .. OwnCid, .. PeerCid, .. value];
            CryptographicOperations.ZeroMemory(before);
        }
    }

    /// <summary>
    /// Number of records of this session that were not authentic; the suite limits them (<see cref="CipherSuite.MaxForgeries"/>).
    /// </summary>
    public int Forgeries => _forgeries;

    /// <summary>Whether so few numbers remain that the session should end.</summary>
    public bool IsAlmostUsedUp => _nextSequence + Reserve >= _end;

    /// <summary>Returns the length of a record for a length of content.</summary>
    /// <param name="contentLength">Bytes of content.</param>
    public int RecordLength(int contentLength) =>
        RecordHeader.Size + _suite.Expansion + contentLength
            + (_peerCidLength == 0 ? 0 : _peerCidLength + TypeLength);

    /// <summary>Skips numbers that the process which saved this session may have used.</summary>
    /// <param name="sequence">The first usable number.</param>
    /// <exception cref="ArgumentOutOfRangeException">The session has already used numbers from there on.</exception>
    public void SkipTo(ulong sequence)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(sequence, _nextSequence);
        _nextSequence = sequence;
    }

    /// <summary>Creates a record.</summary>
    /// <param name="type">Its content type.</param>
    /// <param name="content">The content.</param>
    /// <param name="record">Receives the record.</param>
    /// <returns>Its length in bytes; 0 if no number is left, and the session has to be replaced.</returns>
    public int Seal(ContentType type, ReadOnlySpan<byte> content, Span<byte> record) =>
        _nextSequence >= _end ? 0 : SealAs(Next(content.Length), type, content, record);

    /// <summary>Creates a record with a given number, which must not have occurred before.</summary>
    /// <param name="sequence">The number.</param>
    /// <param name="type">Its content type.</param>
    /// <param name="content">The content.</param>
    /// <param name="record">Receives the record.</param>
    /// <returns>Its bytes.</returns>
    [SkipLocalsInit]
    public int SealAs(ulong sequence, ContentType type, ReadOnlySpan<byte> content, Span<byte> record)
    {
        ReadOnlySpan<byte> cid = PeerCid;
        bool hasCid = cid.Length > 0;
        int innerLength = content.Length + (hasCid ? TypeLength : 0);
        RecordHeader header = new(hasCid ? ContentType.Tls12Cid : type, Epoch, sequence, cid.Length, innerLength + _suite.Expansion);
        header.Write(record, cid);
        Span<byte> rest = record.Slice(header.HeaderLength, header.Length);
        Span<byte> inner = rest.Slice(CipherSuite.ExplicitNonceLength, innerLength);
        content.CopyTo(inner);
        if (hasCid)
        {
            inner[^1] = (byte)type;
        }

        // Uses the number as nonce: no number occurs twice, so no nonce does.
        BinaryPrimitives.WriteUInt64BigEndian(rest, ((ulong)Epoch << 48) | header.Sequence);
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> associated = stackalloc byte[CidAssociatedLength];
        Nonce(SaltOf(_isServer), rest, nonce);
        associated = Associated(header, cid, innerLength, associated);
        Span<byte> tag = rest[(CipherSuite.ExplicitNonceLength + innerLength)..];
        Aead.Seal(_suite, ref _sealing, KeyOf(_isServer), nonce, associated, inner, tag);
        return header.HeaderLength + header.Length;
    }

    /// <summary>Opens a record in place.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record.</param>
    /// <param name="type">Its content type.</param>
    /// <param name="content">The range of the content in the record.</param>
    /// <param name="isNewest">
    /// Whether its number is higher than those of all before it: only then may the session adopt its address (RFC 9146 section 6).
    /// </param>
    /// <returns>The result.</returns>
    [SkipLocalsInit]
    public RecordOpenResult Open(in RecordHeader header, Span<byte> record, out ContentType type, out Range content, out bool isNewest)
    {
        type = header.Type;
        content = default;
        isNewest = false;
        int innerLength = header.Length - _suite.Expansion;
        bool hasCid = header.Type == ContentType.Tls12Cid;
        int minLength = hasCid ? TypeLength : 0;

        // If the session negotiated a Connection ID, records without one do not belong to it, and the reverse (RFC 9146 section 3).
        if (header.Epoch != Epoch || BinaryPrimitives.ReadUInt16BigEndian(record[1..]) != RecordHeader.Version
            || innerLength < minLength || innerLength > MaxPlaintext + minLength
            || hasCid != (_ownCidLength > 0) || !header.Cid(record).SequenceEqual(OwnCid))
        {
            return RecordOpenResult.Foreign;
        }

        if (!_window.Takes(header.Sequence))
        {
            return RecordOpenResult.Replayed;
        }

        Span<byte> rest = record.Slice(header.HeaderLength, header.Length);
        Span<byte> inner = rest.Slice(CipherSuite.ExplicitNonceLength, innerLength);
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> associated = stackalloc byte[CidAssociatedLength];
        Nonce(SaltOf(!_isServer), rest, nonce);
        associated = Associated(header, OwnCid, innerLength, associated);
        Span<byte> tag = rest[(CipherSuite.ExplicitNonceLength + innerLength)..];
        if (!Aead.TryOpen(_suite, ref _opening, KeyOf(!_isServer), nonce, associated, inner, tag))
        {
            _forgeries += _forgeries < int.MaxValue ? 1 : 0;
            return RecordOpenResult.Forged;
        }

        isNewest = _window.IsNewest(header.Sequence);
        _window.Add(header.Sequence);
        int start = header.HeaderLength + CipherSuite.ExplicitNonceLength;
        if (hasCid)
        {
            // Padding is zeros behind the type.
            innerLength = inner.LastIndexOfAnyExcept((byte)0);
            if (innerLength < 0)
            {
                return RecordOpenResult.Foreign;
            }

            type = (ContentType)inner[innerLength];
        }

        content = new Range(start, start + innerLength);
        return RecordOpenResult.Opened;
    }

    /// <summary>Subtracts one record from those that were not authentic.</summary>
    public void Forgive() => _forgeries--;

    /// <summary>Overwrites the keys; sealing and opening fail afterwards.</summary>
    public void Clear()
    {
        CryptographicOperations.ZeroMemory(_bytes.AsSpan(0, _suite.KeyBlockLength));
        _sealing?.Dispose();
        _opening?.Dispose();
        _sealing = _opening = null;
        _nextSequence = _end = SequenceEnd;
    }

    private ReadOnlySpan<byte> Keys => _bytes.AsSpan(0, _suite.KeyBlockLength);

    private ReadOnlySpan<byte> KeyOf(bool isServer) => _bytes.AsSpan(isServer ? _suite.KeyLength : 0, _suite.KeyLength);

    // The part of nonces that stays off the wire.
    private ReadOnlySpan<byte> SaltOf(bool isServer) =>
        _bytes.AsSpan((2 * _suite.KeyLength) + (isServer ? CipherSuite.SaltLength : 0), CipherSuite.SaltLength);

    private ulong Next(int contentLength)
    {
        ulong further = (ulong)(contentLength / BytesOfRecord);
        if (further > 0)
        {
            // Leaves enough numbers for the message that the session ends.
            _end = Math.Max(_end - Math.Min(_end, further), Math.Min(_end, _nextSequence + Reserve));
        }

        return _nextSequence++;
    }

    private static void Nonce(ReadOnlySpan<byte> salt, ReadOnlySpan<byte> explicitNonce, Span<byte> nonce)
    {
        salt.CopyTo(nonce);
        explicitNonce[..CipherSuite.ExplicitNonceLength].CopyTo(nonce[CipherSuite.SaltLength..]);
    }

    private static Span<byte> Associated(in RecordHeader header, ReadOnlySpan<byte> cid, int innerLength, Span<byte> associated)
    {
        ulong number = ((ulong)header.Epoch << 48) | header.Sequence;
        if (header.Type != ContentType.Tls12Cid)
        {
            // RFC 5246 section 6.2.3.3
            BinaryPrimitives.WriteUInt64BigEndian(associated, number);
            associated[8] = (byte)header.Type;
            BinaryPrimitives.WriteUInt16BigEndian(associated[9..], RecordHeader.Version);
            BinaryPrimitives.WriteUInt16BigEndian(associated[11..], (ushort)innerLength);
            return associated[..AssociatedLength];
        }

        // RFC 9146 section 5.3
        associated[..8].Fill(0xFF);
        associated[8] = (byte)ContentType.Tls12Cid;
        associated[9] = (byte)cid.Length;
        associated[10] = (byte)ContentType.Tls12Cid;
        BinaryPrimitives.WriteUInt16BigEndian(associated[11..], RecordHeader.Version);
        BinaryPrimitives.WriteUInt64BigEndian(associated[13..], number);
        cid.CopyTo(associated[21..]);
        BinaryPrimitives.WriteUInt16BigEndian(associated[(21 + cid.Length)..], (ushort)innerLength);
        return associated[..(23 + cid.Length)];
    }

    /// <summary>The number of the next record.</summary>
    public ulong NextSequence => _nextSequence;

    /// <summary>Whether the session has used half of a reserve, and should request more.</summary>
    public bool IsRunningLow => _nextSequence + (NumbersOfReserve / 2) >= _end;

    /// <summary>Whether another process could begin with a number and would have enough of them.</summary>
    /// <param name="sequence">The number.</param>
    public bool CanContinueAt(ulong sequence) => sequence + NumbersOfReserve < _suite.MaxRecords;

    /// <summary>Bars the use of numbers from a value on.</summary>
    /// <param name="end">The first number that is out of bounds.</param>
    public void Limit(ulong end) => _end = Math.Min(_end, end);

    /// <summary>Allows further numbers, less those that long records used up of the keys.</summary>
    /// <param name="by">The number of further numbers.</param>
    public void Extend(ulong by) => _end = Math.Min(_end + by, _suite.MaxRecords);

    /// <summary>The received record numbers. If you restore an earlier value, records since then count as not received.</summary>
    public ReplayWindow Window
    {
        get => _window;
        set => _window = value;
    }

    /// <summary>Rejects all records whose number is not higher than every received one.</summary>
    /// <returns>The lowest number that it accepts.</returns>
    public ulong CloseWindow()
    {
        _window = ReplayWindow.From(_window.Next);
        return _window.Next;
    }

    /// <summary>Writes the complete state, with its keys.</summary>
    /// <param name="writer">Receives the state.</param>
    /// <param name="sequence">The number with which the next owner begins.</param>
    public void Write(StateWriter writer, ulong sequence)
    {
        writer.WriteNumber(_suite.Id);
        writer.WriteFlag(_isServer);
        writer.WriteBytes(Keys);
        writer.WriteBytes(OwnCid);
        writer.WriteBytes(PeerCid);
        writer.WriteNumber((long)_window.Next);
        writer.WriteNumber((long)sequence);
        writer.WriteNumber(Forgeries);
    }

    /// <summary>
    /// Reads a saved state. The result rejects records as old as the newest received one, because it is unknown which of them arrived.
    /// </summary>
    /// <param name="reader">The source.</param>
    /// <param name="progress">The record numbers after later messages, or an older value: the higher numbers count.</param>
    /// <returns>The records.</returns>
    /// <exception cref="InvalidDataException">The bytes do not come from <see cref="Write"/>.</exception>
    public static RecordLayer Load(ref StateReader reader, SessionRecordNumbers progress = default)
    {
        CipherSuite? suite = CipherSuite.Find((int)reader.ReadNumber());
        bool isServer = reader.ReadFlag();
        ReadOnlySpan<byte> saved = reader.ReadBytes();
        byte[] ownCid = reader.ReadBytes().ToArray();
        byte[] peerCid = reader.ReadBytes().ToArray();
        ulong received = Math.Max((ulong)reader.ReadNumber(), progress.Received);
        ulong sent = Math.Max((ulong)reader.ReadNumber(), progress.Sequence);
        long forgeries = reader.ReadNumber();
        if (suite is null || saved.Length != suite.KeyBlockLength || ownCid.Length > MaxCidLength || peerCid.Length > MaxCidLength
            || received > SequenceEnd || sent >= SequenceEnd)
        {
            throw new InvalidDataException("The saved sessions are of another version.");
        }

        return new RecordLayer(suite, saved, isServer, ownCid, peerCid)
        {
            _window = ReplayWindow.From(received),
            _nextSequence = sent,
            _forgeries = (int)Math.Clamp(forgeries, 0, int.MaxValue),
        };
    }
}
