using System.Buffers.Binary;

namespace CoAP.NET.Speed.Floor;

/// <summary>
/// The same as <see cref="DatagramFloor"/> over connections (RFC 8323): a CSM, then the same answer to each frame that is a request.
/// </summary>
internal static unsafe class StreamFloor
{
    private const int Backlog = 4096;
    private const int EventCount = 256;
    private const int AnswerRoom = 1 << 16;

    private static readonly bool s_isPacked = RuntimeInformation.ProcessArchitecture == Architecture.X64;

    // Delta and length of Content-Format 0, payload marker, payload
    private static ReadOnlySpan<byte> Tail =>
        [0xc0, 0xff, (byte)'h', (byte)'e', (byte)'l', (byte)'l', (byte)'o', (byte)' ', (byte)'w', (byte)'o', (byte)'r', (byte)'l',
            (byte)'d', (byte)'!'];

    /// <summary>Opens it.</summary>
    public static int Open(IPEndPoint local)
    {
        int socket = Native.Open(Native.Stream | Native.NonBlocking, local);
        LibC.Check(Native.Listen(socket, Backlog));
        return socket;
    }

    /// <summary>Serves for ever.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Serve(int listener)
    {
        int eventSize = s_isPacked ? 12 : 16;
        int epoll = LibC.Check(LibC.EpollCreate(0));
        byte* events = (byte*)NativeMemory.Alloc((nuint)(eventSize * EventCount));
        byte* answers = (byte*)NativeMemory.Alloc(AnswerRoom);
        Watch(epoll, listener, null);
        while (true)
        {
            int count = LibC.EpollWait(epoll, events, EventCount, -1);
            for (int i = 0; i < count; i++)
            {
                Connection* connection = *(Connection**)(events + (i * eventSize) + eventSize - sizeof(long));
                if (connection is null)
                {
                    AcceptAll(epoll, listener);
                }
                else if (!Turn(connection, answers))
                {
                    _ = LibC.Close(connection->Socket);
                    NativeMemory.Free(connection);
                }
            }
        }
    }

    private static void Watch(int epoll, int socket, Connection* tag)
    {
        byte* one = stackalloc byte[16];
        *(uint*)one = LibC.EventIn;
        *(Connection**)(one + (s_isPacked ? 4 : 8)) = tag;
        LibC.Check(LibC.EpollControl(epoll, LibC.CtlAdd, socket, one));
    }

    private static void AcceptAll(int epoll, int listener)
    {
        // An empty CSM
        byte* csm = stackalloc byte[2];
        (csm[0], csm[1]) = (0x00, 0xe1);
        int socket;
        while ((socket = Native.Accept(listener, null, null, Native.NonBlocking | Native.CloseOnExec)) >= 0)
        {
            Native.Set(socket, Native.LevelTcp, Native.NoDelay, 1);
            Connection* connection = (Connection*)NativeMemory.Alloc((nuint)sizeof(Connection));
            (connection->Socket, connection->Length) = (socket, 0);
            _ = Native.Send(socket, csm, 2, Native.NoSignal);
            Watch(epoll, socket, connection);
        }
    }

    // Reads once and answers all frames of it; false when the connection is at its end.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static bool Turn(Connection* connection, byte* answers)
    {
        nint received = Native.Receive(connection->Socket, connection->Bytes + connection->Length, Connection.Room - connection->Length,
            Native.DontWait);
        if (received <= 0)
        {
            return received < 0 && LibC.LastError is LibC.Again or LibC.Interrupted;
        }

        byte* at = connection->Bytes;
        byte* end = at + connection->Length + received;
        byte* answer = answers;
        while (end - at >= 2)
        {
            int extended = (at[0] >> 4) switch { < 13 => 0, 13 => 1, 14 => 2, _ => 4 };
            if (end - at < 2 + extended)
            {
                break;
            }

            long length = extended switch
            {
                0 => at[0] >> 4,
                1 => at[1] + 13,
                2 => BinaryPrimitives.ReadUInt16BigEndian(new ReadOnlySpan<byte>(at + 1, 2)) + 269,
                _ => BinaryPrimitives.ReadUInt32BigEndian(new ReadOnlySpan<byte>(at + 1, 4)) + 65805L,
            };
            int tokenLength = at[0] & 0xf;
            int head = 2 + extended;
            if (end - at < head + tokenLength + length)
            {
                break;
            }

            if (at[head - 1] is > 0 and < 0x20 && tokenLength <= 8)
            {
                // 14 bytes follow the token: 13 and an extended length of 1
                ReadOnlySpan<byte> tail = Tail;
                answer[0] = (byte)(0xd0 | tokenLength);
                answer[1] = (byte)(tail.Length - 13);
                answer[2] = 0x45;
                answer += 3;
                new ReadOnlySpan<byte>(at + head, tokenLength).CopyTo(new Span<byte>(answer, tokenLength));
                answer += tokenLength;
                tail.CopyTo(new Span<byte>(answer, tail.Length));
                answer += tail.Length;
            }

            at += head + tokenLength + length;
        }

        connection->Length = (int)(end - at);
        new ReadOnlySpan<byte>(at, connection->Length).CopyTo(new Span<byte>(connection->Bytes, connection->Length));

        // A peer that does not read what it asked for is given up, and so is a frame that is larger than what it takes here.
        nint wanted = (nint)(answer - answers);
        return connection->Length < Connection.Room
            && (wanted == 0 || Native.Send(connection->Socket, answers, wanted, Native.NoSignal) == wanted);
    }

    // Frames have 2 bytes at least and answers 25 at most: what one turn answers fits AnswerRoom.
    private struct Connection
    {
        public const int Room = 4096;

        public int Socket;
        public int Length;
        public fixed byte Bytes[Room];
    }
}
