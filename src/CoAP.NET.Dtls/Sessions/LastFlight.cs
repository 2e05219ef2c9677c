using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// The last flight of a handshake, in case the peer did not receive it (RFC 6347 section 4.2.4). Under the lock of its session.
/// </summary>
/// <param name="bytes">The Finished message.</param>
/// <param name="since">When it first went out, by the clock's timestamp.</param>
/// <param name="nextPlainSequence">The number of the next unprotected record.</param>
internal sealed class LastFlight(byte[] bytes, long since, ulong nextPlainSequence)
{
    private ulong _nextPlainSequence = nextPlainSequence;

    /// <summary>When it first went out.</summary>
    public long Since => since;

    /// <summary>Repeats the flight.</summary>
    /// <param name="records">Seals it.</param>
    /// <returns>The datagram.</returns>
    public byte[] Make(RecordLayer records)
    {
        RecordHeader change = new(ContentType.ChangeCipherSpec, 0, _nextPlainSequence++, 0, 1);
        byte[] datagram = new byte[RecordHeader.Size + 1 + records.RecordLength(bytes.Length)];
        change.Write(datagram, []);
        datagram[RecordHeader.Size] = 1;
        _ = records.Seal(ContentType.Handshake, bytes, datagram.AsSpan(RecordHeader.Size + 1));
        return datagram;
    }
}
