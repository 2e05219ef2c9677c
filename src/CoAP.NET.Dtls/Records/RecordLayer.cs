using System.Buffers.Binary;

namespace CoAP.NET.Dtls.Records;

/// <summary>
/// Records of epoch 1 of a session: RFC 6347 section 4.1, with Connection IDs as in RFC 9146. All that is left of a handshake. Not thread
/// safe: the shard that owns the session has its lock.
/// </summary>
internal sealed partial class RecordLayer
{
    /// <summary>Most bytes of a Connection ID: peers may want any length that its length byte can say (RFC 9146 section 3).</summary>
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

    // Our Connection ID, then the peer's, then what the session may be resumed by: one object, as there may be very many sessions.
    private readonly byte _ownCidLength;
    private readonly byte _peerCidLength;
    private byte[] _names;
    private int _forgeries;
    private KeyBlock _keys;
    private ReplayWindow _window;
    private ulong _nextSequence;

    // Lower where a keeper confirms how far it may count, and by what long records use up of the keys.
    private ulong _end;

    /// <summary>Makes the records of a session.</summary>
    /// <param name="suite">How they are protected.</param>
    /// <param name="keys">By what.</param>
    /// <param name="isServer">Whether this is the server's end.</param>
    /// <param name="ownCid">The Connection ID that records to this end carry; empty: none.</param>
    /// <param name="peerCid">The one that records to the other end carry; empty: none.</param>
    public RecordLayer(CipherSuite suite, in KeyBlock keys, bool isServer, byte[] ownCid, byte[] peerCid)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ownCid.Length, MaxCidLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(peerCid.Length, MaxCidLength);
        _suite = suite;
        _keys = keys;
        _isServer = isServer;
        _end = suite.MaxRecords;
        _ownCidLength = (byte)ownCid.Length;
        _peerCidLength = (byte)peerCid.Length;
        _names = peerCid.Length == 0 ? ownCid : [.. ownCid, .. peerCid];
    }

    public CipherSuite Suite => _suite;

    /// <summary>The Connection ID that records to this end carry.</summary>
    public ReadOnlySpan<byte> OwnCid => _names.AsSpan(0, _ownCidLength);

    /// <summary>The Connection ID in records to the peer; empty without.</summary>
    public ReadOnlySpan<byte> PeerCid => _names.AsSpan(_ownCidLength, _peerCidLength);

    /// <summary>By what the client may ask to resume the session (RFC 5246 section 7.3); empty: by nothing. Set before it is used.
    /// </summary>
    public ReadOnlySpan<byte> ResumptionId
    {
        get => _names.AsSpan(_ownCidLength + _peerCidLength);
        set => _names = [.. OwnCid, .. PeerCid, .. value];
    }

    /// <summary>
    /// How many records of this session were not authentic; a suite allows so many only (<see cref="CipherSuite.MaxForgeries"/>).
    /// </summary>
    public int Forgeries => _forgeries;

    /// <summary>Whether so few numbers are left that the session should end.</summary>
    public bool IsAlmostUsedUp => _nextSequence + Reserve >= _end;

    /// <summary>Bytes of a record with so much content.</summary>
    /// <param name="contentLength">Bytes of content.</param>
    public int RecordLength(int contentLength) =>
        RecordHeader.Size + _suite.Expansion + contentLength
            + (_peerCidLength == 0 ? 0 : _peerCidLength + TypeLength);

    /// <summary>Leaves numbers out, as they may have been used by the process that saved this session.</summary>
    /// <param name="sequence">The first number that may be used.</param>
    /// <exception cref="ArgumentOutOfRangeException">Numbers from there on were used already.</exception>
    public void SkipTo(ulong sequence)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(sequence, _nextSequence);
        _nextSequence = sequence;
    }

    /// <summary>Makes a record.</summary>
    /// <param name="type">What it holds.</param>
    /// <param name="content">The content.</param>
    /// <param name="record">Takes the record.</param>
    /// <returns>Its bytes; 0 when no number is left, so that the session has to be made anew.</returns>
    public int Seal(ContentType type, ReadOnlySpan<byte> content, Span<byte> record) =>
        _nextSequence >= _end ? 0 : SealAs(Next(content.Length), type, content, record);

    /// <summary>Makes a record with a number that somebody else chose: for OpenSSL, with what its peer sent. Never for the wire.</summary>
    /// <param name="sequence">The number.</param>
    /// <param name="type">What it holds.</param>
    /// <param name="content">The content.</param>
    /// <param name="record">Takes the record.</param>
    /// <returns>Its bytes.</returns>
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

        // The number as nonce: no number is used twice, so no nonce is.
        BinaryPrimitives.WriteUInt64BigEndian(rest, ((ulong)Epoch << 48) | header.Sequence);
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> associated = stackalloc byte[CidAssociatedLength];
        Nonce(_keys.Salt(_isServer), rest, nonce);
        associated = Associated(header, cid, innerLength, associated);
        Aead.Seal(_suite, _keys.Key(_isServer), nonce, associated, inner, rest[(CipherSuite.ExplicitNonceLength + innerLength)..]);
        return header.HeaderLength + header.Length;
    }

    /// <summary>Opens a record in place.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record.</param>
    /// <param name="type">What it holds.</param>
    /// <param name="content">Where in the record.</param>
    /// <param name="isNewest">Whether its number is higher than those of all before it: only then may its address be taken (RFC 9146
    /// section 6).</param>
    /// <returns>What became of it.</returns>
    public OpenResult Open(in RecordHeader header, Span<byte> record, out ContentType type, out Range content, out bool isNewest)
    {
        type = header.Type;
        content = default;
        isNewest = false;
        int innerLength = header.Length - _suite.Expansion;
        bool hasCid = header.Type == ContentType.Tls12Cid;

        // Where a Connection ID was agreed, records without one are not of this session, and the reverse (RFC 9146 section 3).
        if (header.Epoch != Epoch || BinaryPrimitives.ReadUInt16BigEndian(record[1..]) != RecordHeader.Version
            || innerLength < (hasCid ? TypeLength : 0) || hasCid != (_ownCidLength > 0) || !header.Cid(record).SequenceEqual(OwnCid))
        {
            return OpenResult.Foreign;
        }

        if (!_window.Takes(header.Sequence))
        {
            return OpenResult.Replayed;
        }

        Span<byte> rest = record.Slice(header.HeaderLength, header.Length);
        Span<byte> inner = rest.Slice(CipherSuite.ExplicitNonceLength, innerLength);
        Span<byte> nonce = stackalloc byte[NonceLength];
        Span<byte> associated = stackalloc byte[CidAssociatedLength];
        Nonce(_keys.Salt(!_isServer), rest, nonce);
        associated = Associated(header, OwnCid, innerLength, associated);
        if (!Aead.TryOpen(_suite, _keys.Key(!_isServer), nonce, associated, inner, rest[(CipherSuite.ExplicitNonceLength + innerLength)..]))
        {
            _forgeries += _forgeries < int.MaxValue ? 1 : 0;
            return OpenResult.Forged;
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
                return OpenResult.Foreign;
            }

            type = (ContentType)inner[innerLength];
        }

        content = new Range(start, start + innerLength);
        return OpenResult.Opened;
    }

    /// <summary>Counts one record less as not authentic.</summary>
    public void Forgive() => _forgeries--;

    /// <summary>Overwrites the keys; nothing can be sealed or opened afterwards.</summary>
    public void Clear()
    {
        _keys.Clear();
        _nextSequence = _end = SequenceEnd;
    }

    private ulong Next(int contentLength)
    {
        ulong further = (ulong)(contentLength / BytesOfRecord);
        if (further > 0)
        {
            // Not below what is needed to say that the session ends.
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
}
