namespace CoAP.NET.Speed.Floor;

/// <summary>
/// Many servers in one that notify as quickly as an observing client acknowledges: <c>notify --port 0 --count N</c>. It is on all addresses
/// of 127/8, answers GETs with Observe, and when so many observations of one client are there it sends Confirmable notifications of all of
/// them in turn, a bounded number under way. The payload is the time stamp of the sending, 8 bytes.
/// </summary>
internal static unsafe class NotifierServer
{
    public const string Verb = "notify";

    private const int Batch = 64;
    private const int HeaderSize = 4;
    private const int Buffer = 4 << 20;

    // As many as the receive buffer of a client holds with ease.
    private const int MostUnderWay = 512;

    private const byte Ack = 0x60;

    // What was not acknowledged by then is lost, and another one may be sent in its place.
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(100);

    public static int Run(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port", "--count"], [Child.WithParent]);
        IPEndPoint local = new(IPAddress.Any, arguments.Number("--port", 0));
        int socket = Native.Open(Native.Datagram, local, Native.PacketInfo);
        Native.AskForBuffer(socket, Buffer);
        Native.SetReceiveTimeout(socket, s_patience);
        Child.EndWithParent(arguments);
        Console.WriteLine($"{Child.Listening}coap://{local.Address}:{Native.PortOf(socket)}");
        Serve(socket, arguments.Number("--count", 1000));
        return 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Serve(int socket, int wanted)
    {
        using DatagramBatch received = new(Batch, hasAddresses: true);
        using DatagramBatch answers = new(Batch, hasAddresses: true);
        using DatagramBatch notifications = new(Batch, hasAddresses: true);
        List<Observation> observations = new(wanted);
        Dictionary<uint, Server> servers = [];
        int next = 0;
        int underWay = 0;
        uint number = 1;
        while (true)
        {
            int count = received.Receive(socket, Native.WaitForOne);
            if (count <= 0)
            {
                underWay = 0;
            }

            int answered = 0;
            for (int i = 0; i < count; i++)
            {
                byte* message = received.Bytes(i);
                int length = received.Length(i);
                if (!received.IsFromLoopback(i) || length < HeaderSize)
                {
                    continue;
                }

                if (message[0] == Ack)
                {
                    underWay = Math.Max(0, underWay - 1);
                }
                else if (Register(message, length, received.Destination(i), servers, observations) is var answer and > 0)
                {
                    notifications.SetDestinations(received, i);
                    answers.AnswerIn(received, i, answered++, answer);
                }
            }

            answers.Send(socket, answered);
            while (observations.Count >= wanted && underWay < MostUnderWay)
            {
                int together = Math.Min(Batch, MostUnderWay - underWay);
                for (int i = 0; i < together; i++)
                {
                    Observation one = observations[next];
                    notifications.SetSource(i, one.Server.Address);
                    notifications.SetLength(i, Write(notifications.Bytes(i), one, number));
                    if (++next == observations.Count)
                    {
                        next = 0;
                        number++;
                    }
                }

                underWay += together - notifications.Send(socket, together);
            }
        }
    }

    // Makes a request that observes its answer, and says how long it is; 0 when it is none.
    private static int Register(
        byte* message, int length, uint address, Dictionary<uint, Server> servers, List<Observation> observations)
    {
        const byte Observe = 0x60;
        int tokenLength = message[0] & 0xf;
        if (message[0] >> 4 != 4 || message[1] != 1 || tokenLength > sizeof(ulong) || length <= HeaderSize + tokenLength
            || message[HeaderSize + tokenLength] != Observe)
        {
            return 0;
        }

        ulong token = 0;
        System.Buffer.MemoryCopy(message + HeaderSize, &token, sizeof(ulong), tokenLength);
        if (!servers.TryGetValue(address, out Server? server))
        {
            servers.Add(address, server = new Server { Address = address });
        }

        observations.Add(new Observation(server, token, tokenLength));
        message[0] = (byte)(Ack | tokenLength);
        message[1] = 0x45;
        return HeaderSize + tokenLength + WriteTail(message + HeaderSize + tokenLength, 0);
    }

    private static int Write(byte* message, Observation observation, uint number)
    {
        ushort id = observation.Server.MessageId++;
        message[0] = (byte)(0x40 | observation.TokenLength);
        message[1] = 0x45;
        (message[2], message[3]) = ((byte)(id >> 8), (byte)id);
        *(ulong*)(message + HeaderSize) = observation.Token;
        int tail = HeaderSize + observation.TokenLength;
        return tail + WriteTail(message + tail, number);
    }

    // Observe, Content-Format 42, payload
    private static int WriteTail(byte* at, uint number)
    {
        (at[0], at[1], at[2], at[3]) = (0x63, (byte)(number >> 16), (byte)(number >> 8), (byte)number);
        (at[4], at[5], at[6]) = (0x61, 42, 0xff);
        *(long*)(at + 7) = TimeProvider.System.GetTimestamp();
        return 7 + sizeof(long);
    }

    private readonly record struct Observation(Server Server, ulong Token, int TokenLength);

    private sealed class Server
    {
        // As it is in memory.
        public required uint Address;
        public ushort MessageId;
    }
}
