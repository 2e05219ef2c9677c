using CoAP.NET.Transports.Loops;
using LibC = CoAP.NET.Bench.LibC;

namespace CoAP.NET.Simulation.Overload;

/// <summary>
/// Peers that ask whether or not the server keeps up: each request leaves when it is due, once, and its time counts from then.
/// </summary>
internal sealed class OpenLoop : IDisposable
{
    private const int Peers = 64;
    private const int HeaderSize = 8;
    private const int MostTogether = 64;
    private const byte Refusal = 0xa3;

    private readonly Socket[] _sockets = new Socket[Peers];
    private readonly int[] _descriptors = new int[Peers];
    private readonly ushort[] _messageIds = new ushort[Peers];
    private readonly Poller _poller = new();
    private readonly int[] _ready = new int[256];
    private readonly byte[] _request;
    private readonly byte[] _buffer = new byte[2048];
    private readonly List<Asked> _asked = [];
    private long _began;
    private int _outstanding;
    private LoadPhase? _phase;

    public OpenLoop(IPEndPoint server, string path)
    {
        // A Confirmable GET with a token of four bytes.
        _request = [0x44, 1, 0, 0, 0, 0, 0, 0, (byte)(0xb0 | path.Length), .. Encoding.ASCII.GetBytes(path)];
        for (int i = 0; i < Peers; i++)
        {
            Socket socket = _sockets[i] = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
            {
                Blocking = false,
                ReceiveBufferSize = 1 << 20
            };
            socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            socket.Connect(server);
            _descriptors[i] = (int)socket.SafeHandle.DangerousGetHandle();
            _poller.Watch(_descriptors[i], i, isKnown: false);
        }
    }

    /// <summary>What came, in steps of 100 ms from the beginning of the first phase.</summary>
    public List<LoadSlice> Slices { get; } = [];

    /// <summary>Refusals that did not say when to come again.</summary>
    public long RefusedWithoutMaxAge { get; private set; }

    private static long Now => TimeProvider.System.GetTimestamp();

    /// <summary>How long what is late is waited for at the end.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How many requests a second are answered when so many are under way all the time: in the best quarter, as whatever else the machine
    /// does only takes away.
    /// </summary>
    public double MeasureCapacity(double seconds, int together)
    {
        const int Quarters = 4;
        LoadPhase phase = new("capacity", seconds, 0);
        Start(phase);
        double most = 0;
        for (int quarter = 1; quarter <= Quarters; quarter++)
        {
            double began = Seconds(Now);
            long before = phase.Answered;
            while (Seconds(Now) < quarter * seconds / Quarters)
            {
                for (; _outstanding < together; _outstanding++)
                {
                    Ask(phase, Now);
                }

                Receive(1);
            }

            most = Math.Max(most, (phase.Answered - before) / (Seconds(Now) - began));
        }

        Drain();
        return most;
    }

    /// <summary>Runs phases, one right after the other.</summary>
    /// <param name="phases">The phases, which get their figures.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public void Run(IReadOnlyList<LoadPhase> phases, CancellationToken cancellationToken)
    {
        Start(phases[0]);
        double begin = 0;
        foreach (LoadPhase phase in phases)
        {
            _phase = phase;
            while (Seconds(Now) - begin < phase.Seconds && !cancellationToken.IsCancellationRequested)
            {
                double now = Seconds(Now) - begin;
                double due = phase.Sent / (double)phase.Rate;
                for (int i = 0; due <= now && i < MostTogether; i++)
                {
                    Ask(phase, _began + (long)((begin + due) * TimeProvider.System.TimestampFrequency));
                    due = phase.Sent / (double)phase.Rate;
                }

                Receive(due - now > 0.0015 ? 1 : 0);
            }

            begin += phase.Seconds;
        }

        _phase = null;
        Drain();
    }

    public void Dispose()
    {
        foreach (Socket socket in _sockets)
        {
            socket.Dispose();
        }

        _poller.Dispose();
    }

    private double Seconds(long now) => TimeProvider.System.GetElapsedTime(_began, now).TotalSeconds;

    private void Start(LoadPhase first)
    {
        Slices.Clear();
        _asked.Clear();
        _outstanding = 0;
        _phase = first;
        _began = Now;
    }

    // What is late still counts for the phase in which it was asked for.
    private void Drain()
    {
        for (long last = Now; TimeProvider.System.GetElapsedTime(last) < Patience;)
        {
            if (Receive(10))
            {
                last = Now;
            }
        }
    }

    private void Ask(LoadPhase phase, long due)
    {
        int number = _asked.Count;
        int peer = number % Peers;
        _asked.Add(new Asked(phase, due));
        BinaryPrimitives.WriteUInt16BigEndian(_request.AsSpan(2), _messageIds[peer]++);
        BinaryPrimitives.WriteInt32BigEndian(_request.AsSpan(4), number);
        phase.Sent++;
        _ = LibC.Send(_descriptors[peer], _request);
    }

    private bool Receive(int milliseconds)
    {
        bool any = false;
        int count = _poller.Wait(_ready, milliseconds);
        for (int i = 0; i < count; i++)
        {
            int length;
            while ((length = (int)LibC.Receive(_descriptors[_ready[i]], _buffer)) > 0)
            {
                any = true;
                Handle(_ready[i], _buffer.AsSpan(0, length), Now);
            }
        }

        return any;
    }

    private void Handle(int peer, ReadOnlySpan<byte> message, long now)
    {
        if (message.Length < HeaderSize)
        {
            return;
        }

        if ((message[0] & 0x30) == 0)
        {
            _ = LibC.Send(_descriptors[peer], [0x60, 0, message[2], message[3]]);
        }

        int number = BinaryPrimitives.ReadInt32BigEndian(message[4..]);
        if (number >= _asked.Count || _asked[number].Phase is not { } phase)
        {
            return;
        }

        long due = _asked[number].Due;
        _asked[number] = default;
        _outstanding--;
        LoadSlice slice = SliceAt(now);
        long time = (long)TimeProvider.System.GetElapsedTime(due, now).TotalNanoseconds;
        if (message[1] >> 5 == 2)
        {
            phase.Answered++;
            phase.Times.Add(time);
            slice.Answered++;
            slice.Times.Add(time);
            if (_phase is { } current)
            {
                current.Arrived++;
            }
        }
        else if (message[1] == Refusal)
        {
            phase.Refused++;
            slice.Refused++;
            CoapMessage refusal = CoapDatagramSerializer.Default.Deserialize(message);
            RefusedWithoutMaxAge += refusal.Options.Get<MaxAgeOption>() is null ? 1 : 0;
        }
        else
        {
            phase.Errors++;
        }
    }

    private LoadSlice SliceAt(long now)
    {
        int index = (int)(Seconds(now) * LoadSlice.PerSecond);
        while (Slices.Count <= index)
        {
            Slices.Add(new LoadSlice());
        }

        return Slices[index];
    }

    private readonly record struct Asked(LoadPhase? Phase, long Due);
}

/// <summary>100 ms of a load.</summary>
internal sealed class LoadSlice
{
    /// <summary>How many there are in a second.</summary>
    public const int PerSecond = 10;

    /// <summary>Answers that came.</summary>
    public long Answered { get; set; }

    /// <summary>Refusals that came.</summary>
    public long Refused { get; set; }

    /// <summary>How long these answers took.</summary>
    public LatencyHistogram Times { get; } = new();
}
