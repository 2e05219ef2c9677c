namespace CoAP.NET.Benchmarks;

/// <summary>Answers a client's request.</summary>
/// <param name="peer">Which peer was asked.</param>
/// <param name="request">The bytes of the request.</param>
/// <param name="answer">Where the bytes of the answer go.</param>
/// <returns>The length of the answer; 0 for none.</returns>
internal delegate int MemoryPeer(int peer, ReadOnlySpan<byte> request, Span<byte> answer);

/// <summary>Peers that make an answer of the bytes of the request, for next to nothing.</summary>
internal static class MemoryPeers
{
    /// <summary>
    /// Answers everything with 2.05, its token, Content-Format 0 and 12 bytes: piggybacked where the request is Confirmable.
    /// </summary>
    public static MemoryPeer Echo(WireFormat format) => format == WireFormat.Datagram ? EchoDatagram : EchoFrame;

    private static readonly byte[] s_body = [0xc0, 0xff, .. "21.5 degrees"u8];

    private static int EchoDatagram(int peer, ReadOnlySpan<byte> request, Span<byte> answer)
    {
        int token = request[0] & 0x0f;
        bool isConfirmable = (request[0] & 0x30) == 0;
        request[..(4 + token)].CopyTo(answer);
        answer[0] = (byte)((isConfirmable ? 0x60 : 0x50) | token);
        answer[1] = 0x45;
        s_body.CopyTo(answer[(4 + token)..]);
        return 4 + token + s_body.Length;
    }

    private static int EchoFrame(int peer, ReadOnlySpan<byte> request, Span<byte> answer)
    {
        // Length, extended by a byte from 13 on, then code and token (RFC 8323 section 3.2). Signalling gets no answer.
        int token = request[0] & 0x0f;
        int at = (request[0] >> 4) switch { 13 => 2, 14 => 3, 15 => 5, _ => 1 };
        if (request[at] >> 5 == 7)
        {
            return 0;
        }

        answer[0] = (byte)(0xd0 | token);
        answer[1] = (byte)(s_body.Length - 13);
        answer[2] = 0x45;
        request.Slice(at + 1, token).CopyTo(answer[3..]);
        s_body.CopyTo(answer[(3 + token)..]);
        return 3 + token + s_body.Length;
    }
}
