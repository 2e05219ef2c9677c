namespace CoAP.NET.Speed.Broadcast;

/// <summary>
/// Clients of a chat, a connection each: all observe one resource, and any of them sends a message by changing it, so that all get it.
/// </summary>
/// <param name="server">The server.</param>
/// <param name="payload">Bytes of a message; at least as many as its number has digits.</param>
internal class BroadcastLoop(IPEndPoint server, int payload = BroadcastLoop.Digits) : FrameLoop(server)
{
    /// <summary>The fewest bytes of a message: its number, by which it is known when it comes.</summary>
    public const int Digits = 10;

    private const ushort ObserveToken = 0x0103;
    private const double Patience = 1;
    private const double PatienceToRegister = 30;

    private static readonly byte[] s_register = Frames.Request(CoapCode.Get, "chat", token: ObserveToken,
        options: options => options.Add(new ObserveOption(0)));

    private readonly List<long> _dueAt = [];
    private LatencyHistogram? _times;
    private int _current = -1;
    private int _currentCount;
    private int _first;
    private long _received;

    /// <summary>Has all clients observe the resource.</summary>
    /// <exception cref="TimeoutException">Not all of them were answered within half a minute.</exception>
    public void Register()
    {
        foreach (LoadPeer peer in Peers)
        {
            peer.Count = 0;
            Send(peer, s_register);
        }

        for (long begin = Now; Peers.Any(peer => peer.Count == 0);)
        {
            Poll(10);
            if (Nanoseconds(begin) > PatienceToRegister * 1e9)
            {
                throw new TimeoutException(
                    $"{Peers.Count(peer => peer.Count > 0)} of {Peers.Count} clients were registered in {PatienceToRegister} s.");
            }
        }
    }

    /// <summary>Sends messages at a steady rate, whether or not the server keeps up. Times run from when a message was due.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="rate">Messages a second, of all clients together.</param>
    /// <param name="cpu">Tells the processor time that the server took so far.</param>
    public BroadcastResult RunAtRate(double seconds, double rate, Func<TimeSpan> cpu)
    {
        const double Billion = 1e9;
        return Run(cpu, begin =>
        {
            long sent = 0;
            for (long now = 0; (now = Nanoseconds(begin)) < seconds * Billion;)
            {
                for (; sent / rate * Billion <= now; sent++)
                {
                    Say(begin + (long)(sent / rate * TimeProvider.System.TimestampFrequency));
                }

                Poll(1);
            }
        });
    }

    /// <summary>Sends each message as soon as all clients have the one before.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="cpu">Tells the processor time that the server took so far.</param>
    public BroadcastResult RunClosed(double seconds, Func<TimeSpan> cpu) =>
        Run(cpu, begin =>
        {
            _currentCount = Peers.Count;
            while (Nanoseconds(begin) < seconds * 1e9)
            {
                if (_currentCount >= Peers.Count)
                {
                    Say(Now);
                }

                Poll(1);
            }
        });

    protected override void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt)
    {
        if ((frame[0] & 0xf) != sizeof(ushort) || frame[tokenAt] != ObserveToken >> 8 || frame[tokenAt + 1] != (ObserveToken & 0xff))
        {
            // The answer to a message that it sent, or to something else.
            return;
        }

        peer.Count++;
        if (_times is not null && frame.Length >= Digits && int.TryParse(frame[^Digits..], NumberStyles.None, null, out int number)
            && number >= _first && number < _dueAt.Count)
        {
            _received++;
            _times.Add(Nanoseconds(_dueAt[number]));
            _currentCount += number == _current ? 1 : 0;
        }
    }

    /// <summary>Who sends a message.</summary>
    /// <param name="message">Its number.</param>
    protected virtual LoadPeer SenderOf(int message) => Peers[message % Peers.Count];

    private BroadcastResult Run(Func<TimeSpan> cpu, Action<long> send)
    {
        // Numbers go on, so that what is still under way is not taken for a message of this run.
        _first = _dueAt.Count;
        (_times, _received) = (new LatencyHistogram(), 0);
        TimeSpan cpuBefore = cpu();
        TimeSpan ownBefore = Processor.OwnThreadTime();
        long begin = Now;
        send(begin);
        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        TimeSpan used = cpu() - cpuBefore;
        TimeSpan own = Processor.OwnThreadTime() - ownBefore;
        long inTime = _received;
        long expected = (long)(_dueAt.Count - _first) * Peers.Count;

        // What is on its way counts, but not for the rate.
        long seen = inTime;
        for (long last = Now; _received < expected && Nanoseconds(last) < Patience * 1e9;)
        {
            Poll(10);
            (last, seen) = _received > seen ? (Now, _received) : (last, seen);
        }

        BroadcastResult result = new(_times, elapsed, used, own, _dueAt.Count - _first, inTime, expected - _received);
        _times = null;
        return result;
    }

    private void Say(long due)
    {
        int number = _dueAt.Count;
        _dueAt.Add(due);
        (_current, _currentCount) = (number, 0);
        byte[] text = new byte[payload];
        text.AsSpan().Fill((byte)' ');
        _ = number.TryFormat(text.AsSpan(payload - Digits), out _, "D10");
        Send(SenderOf(number), Frames.Request(CoapCode.Put, "chat", text, 0x0104));
    }
}

/// <summary>What a broadcast came to.</summary>
/// <param name="Times">From when a message was due until a client had it.</param>
/// <param name="Elapsed">How long messages were sent.</param>
/// <param name="Cpu">The processor time of the server meanwhile.</param>
/// <param name="OwnCpu">The processor time of the load meanwhile.</param>
/// <param name="Sent">Messages that were sent.</param>
/// <param name="Delivered">Messages that clients got meanwhile.</param>
/// <param name="Missing">What clients did not get, not even later: a newer state took its place, or the server failed.</param>
internal readonly record struct BroadcastResult(
    LatencyHistogram Times, TimeSpan Elapsed, TimeSpan Cpu, TimeSpan OwnCpu, int Sent, long Delivered, long Missing);
