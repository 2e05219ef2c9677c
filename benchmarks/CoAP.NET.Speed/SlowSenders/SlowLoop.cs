namespace CoAP.NET.Speed.SlowSenders;

/// <summary>Clients that send their request one byte at a time.</summary>
/// <param name="server">The server.</param>
/// <param name="requests">What they send, as frames, in turn.</param>
/// <param name="answers">How the answers end.</param>
/// <param name="interval">The time between two bytes of one client.</param>
internal sealed class SlowLoop(IPEndPoint server, IReadOnlyList<byte[]> requests, IReadOnlyList<byte[]> answers, TimeSpan interval)
    : FrameLoop(server)
{
    private readonly Dictionary<int, MessageTimes> _times = [];
    private long _begin;
    private int _nextPeer;
    private long _nextRound;

    /// <summary>Messages that arrived as they were sent.</summary>
    public int Right { get; private set; }

    /// <summary>Those that were answered otherwise.</summary>
    public int Wrong { get; private set; }

    public bool IsDone => Right + Wrong + Lost >= Peers.Count;

    /// <summary>How many bytes of its message each client has sent.</summary>
    public long BytesSent => _nextRound;

    /// <summary>The time of the message of a client from its first byte to the answer, and from its last byte to the answer; null if
    /// there was no answer.</summary>
    public (TimeSpan Whole, TimeSpan AfterLast)? TimesOf(int peer) =>
        _times.GetValueOrDefault(peer) is { AnsweredAt: not 0 } times
            ? (TimeProvider.System.GetElapsedTime(times.FirstAt, times.AnsweredAt),
                TimeProvider.System.GetElapsedTime(times.LastAt, times.AnsweredAt))
            : null;

    /// <summary>Sends what is due. To be called every few milliseconds.</summary>
    /// <param name="waitMilliseconds">How long to wait for an answer.</param>
    public void Advance(int waitMilliseconds = 0)
    {
        if (_begin == 0)
        {
            _begin = Now;
        }

        // They send one after another, spread over the interval.
        double rounds = Nanoseconds(_begin) / interval.TotalNanoseconds;
        long due = (long)(rounds * Peers.Count) - (_nextRound * Peers.Count) - _nextPeer;
        for (; due > 0; due--)
        {
            LoadPeer peer = Peers[_nextPeer];
            byte[] request = requests[_nextPeer % requests.Count];
            if (peer.IsOpen && _nextRound < request.Length)
            {
                Send(peer, request.AsMemory((int)_nextRound, 1));
                Sent(peer, (int)_nextRound == 0);
            }

            if (++_nextPeer == Peers.Count)
            {
                (_nextPeer, _nextRound) = (0, _nextRound + 1);
            }
        }

        Poll(waitMilliseconds);
    }

    /// <summary>Sends the rest of all messages at once, and waits for the answers.</summary>
    public void Finish()
    {
        for (int i = 0; i < Peers.Count; i++)
        {
            byte[] request = requests[i % requests.Count];
            long sent = _nextRound + (i < _nextPeer ? 1 : 0);
            if (Peers[i].IsOpen && sent < request.Length)
            {
                Send(Peers[i], request.AsMemory((int)sent));
            }

            Poll(0);
        }

        long begin = Now;
        while (!IsDone && Nanoseconds(begin) < 30e9)
        {
            Poll(10);
        }
    }

    protected override void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt)
    {
        if (_times.TryGetValue(peer.Index, out MessageTimes? times) && times.AnsweredAt == 0)
        {
            times.AnsweredAt = Now;
        }

        if (frame.EndsWith(answers[peer.Index % answers.Count]))
        {
            Right++;
        }
        else
        {
            Wrong++;
        }
    }

    private void Sent(LoadPeer peer, bool isFirst)
    {
        if (!_times.TryGetValue(peer.Index, out MessageTimes? times))
        {
            _times[peer.Index] = times = new MessageTimes();
        }

        times.LastAt = Now;
        times.FirstAt = isFirst ? times.LastAt : times.FirstAt;
    }

    // As time stamps.
    private sealed class MessageTimes
    {
        public long FirstAt { get; set; }

        public long LastAt { get; set; }

        public long AnsweredAt { get; set; }
    }
}
