namespace CoAP.NET.Speed.Floor;

/// <summary>
/// The least that a server must do: it answers every request by the same bytes, 64 at a time, and knows nothing but the fixed header. What
/// a real server takes more than this is its own; the rest is the system's.
/// </summary>
internal static unsafe class DatagramFloor
{
    private const int Batch = 64;
    private const int HeaderSize = 4;
    private const int Buffer = 4 << 20;

    // Content-Format 0 (text/plain), payload marker, payload
    private static ReadOnlySpan<byte> Tail =>
        [0xc0, 0xff, (byte)'h', (byte)'e', (byte)'l', (byte)'l', (byte)'o', (byte)' ', (byte)'w', (byte)'o', (byte)'r', (byte)'l',
            (byte)'d', (byte)'!'];

    // The same with Max-Age 0 behind the Content-Format.
    private static ReadOnlySpan<byte> StaleTail =>
        [0xc0, 0x20, 0xff, (byte)'h', (byte)'e', (byte)'l', (byte)'l', (byte)'o', (byte)' ', (byte)'w', (byte)'o', (byte)'r', (byte)'l',
            (byte)'d', (byte)'!'];

    /// <summary>Opens it.</summary>
    /// <param name="local">Where; on 0.0.0.0 it answers from the address that it was asked at.</param>
    public static int Open(IPEndPoint local)
    {
        int socket = Native.Open(Native.Datagram, local, local.Address.Equals(IPAddress.Any) ? Native.PacketInfo : 0);
        Native.AskForBuffer(socket, Buffer);
        return socket;
    }

    /// <summary>Serves for ever.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="isAny">Whether it is on all addresses.</param>
    /// <param name="isStale">Whether no cache may keep its answers.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Serve(int socket, bool isAny, bool isStale = false)
    {
        ReadOnlySpan<byte> tail = isStale ? StaleTail : Tail;
        using DatagramBatch requests = new(Batch, hasAddresses: isAny);
        using DatagramBatch answers = new(Batch, hasAddresses: isAny);
        ushort messageId = 0;
        while (true)
        {
            int count = requests.Receive(socket, Native.WaitForOne);
            int answered = 0;
            for (int i = 0; i < count; i++)
            {
                // On all addresses, but for this machine only.
                int length = isAny && !requests.IsFromLoopback(i)
                    ? 0
                    : Answer(requests.Bytes(i), requests.Length(i), tail, ref messageId);
                if (length > 0)
                {
                    answers.AnswerIn(requests, i, answered++, length);
                }
            }

            answers.Send(socket, answered);
        }
    }

    // Makes a request its answer; 0 when there is none.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Answer(byte* message, int length, ReadOnlySpan<byte> tail, ref ushort messageId)
    {
        const int Con = 0;
        const int Non = 1;
        int type = message[0] >> 4;
        int tokenLength = message[0] & 0xf;

        // The two bits before the type are the version, 1.
        if (length < HeaderSize + tokenLength || tokenLength > 8 || (type & ~1) != 4)
        {
            return 0;
        }

        if (message[1] == 0)
        {
            message[0] = 0x70;
            return (type & 3) == Con ? HeaderSize : 0;
        }

        if (message[1] >= 0x20)
        {
            return 0;
        }

        if ((type & 3) == Non)
        {
            messageId++;
            message[2] = (byte)(messageId >> 8);
            message[3] = (byte)messageId;
        }

        message[0] = (byte)(((type & 3) == Non ? 0x50 : 0x60) | tokenLength);
        message[1] = 0x45;
        tail.CopyTo(new Span<byte>(message + HeaderSize + tokenLength, tail.Length));
        return HeaderSize + tokenLength + tail.Length;
    }
}
