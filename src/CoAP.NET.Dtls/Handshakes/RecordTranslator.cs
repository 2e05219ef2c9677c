using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Translates records between OpenSSL and the wire. It opens the records that OpenSSL encrypts and reseals them with the session's own
/// numbers and Connection ID; it does the reverse for records of the peer. OpenSSL's numbers would collide with those of application data,
/// and OpenSSL does not support Connection IDs.
/// </summary>
/// <param name="isServer">Whether OpenSSL is the server.</param>
internal sealed class RecordTranslator(bool isServer)
{
    private RecordLayer? _inside;

    /// <summary>The content of the newest encrypted message of OpenSSL: its Finished.</summary>
    public byte[] LastFlight { get; private set; } = [];

    /// <summary>The next number of an unprotected record.</summary>
    public ulong NextPlainSequence { get; private set; }

    /// <summary>Number of records of the peer that failed to open.</summary>
    public long Forgeries { get; private set; }

    /// <summary>Sets the keys, as soon as they exist.</summary>
    /// <param name="suite">The protection of records.</param>
    /// <param name="keys">The keys.</param>
    public void SetKeys(CipherSuite suite, in KeyBlock keys) => _inside = new RecordLayer(suite, keys, !isServer, [], []);

    /// <summary>Forgets the keys.</summary>
    public void Clear() => _inside?.Clear();

    /// <summary>Opens a record of the peer for OpenSSL.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="record">The whole record.</param>
    /// <param name="records">The session's records.</param>
    /// <param name="forOpenSsl">The record as OpenSSL expects it.</param>
    /// <returns>Whether it is the peer's.</returns>
    public bool TryOpen(in RecordHeader header, ReadOnlyMemory<byte> record, RecordLayer records, out byte[] forOpenSsl)
    {
        forOpenSsl = [];
        byte[] copy = record.ToArray();
        OpenResult result = records.Open(header, copy, out ContentType type, out Range content, out _);
        Forgeries += result == OpenResult.Forged ? 1 : 0;
        if (result != OpenResult.Opened || _inside is not { } inside || type == ContentType.ApplicationData)
        {
            return false;
        }

        ReadOnlySpan<byte> said = copy.AsSpan()[content];
        forOpenSsl = new byte[inside.RecordLength(said.Length)];
        _ = inside.SealAs(header.Sequence, type, said, forOpenSsl);
        return true;
    }

    /// <summary>Translates a datagram of OpenSSL for the wire.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="records">The session's records, once there are keys.</param>
    /// <param name="translated">The datagram to send.</param>
    /// <returns>Whether the translation succeeded.</returns>
    public bool TryTranslate(byte[] datagram, RecordLayer? records, out byte[] translated)
    {
        translated = datagram;
        List<byte>? made = null;
        for (int offset = 0; offset < datagram.Length && RecordHeader.TryRead(datagram.AsSpan(offset), 0, out RecordHeader header);)
        {
            Span<byte> record = datagram.AsSpan(offset, header.HeaderLength + header.Length);
            if (header.Epoch == 0)
            {
                NextPlainSequence = Math.Max(NextPlainSequence, header.Sequence + 1);
                made?.AddRange(record);
            }
            else
            {
                made ??= [.. datagram.AsSpan(0, offset)];
                if (records is null || !TrySealAnew(header, record, records, made))
                {
                    return false;
                }
            }

            offset += record.Length;
        }

        translated = made is null ? datagram : [.. made];
        return true;
    }

    private bool TrySealAnew(in RecordHeader header, Span<byte> record, RecordLayer records, List<byte> made)
    {
        if (_inside is not { } inside || inside.Open(header, record, out ContentType type, out Range content, out _) != OpenResult.Opened)
        {
            return false;
        }

        ReadOnlySpan<byte> said = record[content];
        if (type == ContentType.Handshake)
        {
            LastFlight = said.ToArray();
        }

        Span<byte> anew = new byte[records.RecordLength(said.Length)];
        made.AddRange(anew[..records.Seal(type, said, anew)]);
        return true;
    }
}
