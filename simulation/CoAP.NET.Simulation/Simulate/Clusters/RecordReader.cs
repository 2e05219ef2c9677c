using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What everybody can read of DTLS records.</summary>
internal static class RecordReader
{
    /// <summary>The first byte of application data without a Connection ID.</summary>
    public const byte ApplicationData = (byte)ContentType.ApplicationData;

    /// <summary>The first byte of a record with a Connection ID.</summary>
    public const byte Cid = (byte)ContentType.Tls12Cid;

    /// <summary>Where the number of a record ends.</summary>
    public const int SequenceEnd = 11;

    /// <summary>Whether a datagram has application data of a session, which may be lost: OpenSSL repeats handshakes by the clock of the
    /// system, so that what is lost of them is never sent again in virtual time.</summary>
    public static bool IsOfSession(ReadOnlySpan<byte> datagram) =>
        datagram.Length > SequenceEnd && datagram[0] is ApplicationData or Cid && !IsFirst(datagram);

    /// <summary>The records of a datagram, for people: kind, epoch and number, and the Connection ID.</summary>
    public static string Describe(ReadOnlySpan<byte> datagram, int cidLength)
    {
        StringBuilder text = new();
        while (RecordHeader.TryRead(datagram, cidLength, out RecordHeader header))
        {
            int length = header.HeaderLength + header.Length;
            text.Append($"{header.Type} {header.Epoch}/{header.Sequence} {Convert.ToHexString(header.Cid(datagram[..length]))} ");
            datagram = datagram[length..];
        }

        return text.ToString();
    }

    /// <summary>Whether it is the first record under its keys, which ends a handshake.</summary>
    public static bool IsFirst(ReadOnlySpan<byte> datagram) =>
        datagram.Length > SequenceEnd && datagram[5..SequenceEnd].IndexOfAnyExcept((byte)0) < 0;
}
