using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Stands between OpenSSL and the wire: what OpenSSL encrypts is opened and sealed anew with the session's own numbers and Connection ID,
/// what the peer encrypts is opened and sealed anew as OpenSSL expects it. OpenSSL's numbers would meet those of application data, and
/// OpenSSL knows no Connection IDs.
/// </summary>
/// <param name="isServer">Whether OpenSSL is the server.</param>
internal sealed class RecordTranslator(bool isServer)
{
    private RecordLayer? _inside;

    /// <summary>What the newest encrypted message of OpenSSL said: its Finished.</summary>
    public byte[] LastFlight { get; private set; } = [];

    /// <summary>The next number of an unprotected record.</summary>
    public ulong NextPlainSequence { get; private set; }

    /// <summary>Records of the peer that did not open.</summary>
    public long Forgeries { get; private set; }

    /// <summary>Sets the keys, as soon as they are known.</summary>
    /// <param name="suite">How records are protected.</param>
    /// <param name="keys">By what.</param>
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

    /// <summary>Makes a datagram of OpenSSL one for the wire.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="records">The session's records, once there are keys.</param>
    /// <param name="translated">What is to be sent.</param>
    /// <returns>Whether that was possible.</returns>
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
