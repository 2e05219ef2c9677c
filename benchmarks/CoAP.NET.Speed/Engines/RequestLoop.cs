namespace CoAP.NET.Speed.Engines;

/// <summary>A closed loop over connections that stay: each asks again when it was answered.</summary>
/// <param name="server">The server.</param>
/// <param name="request">The request, as a frame.</param>
/// <param name="answer">How the answer ends.</param>
internal sealed class RequestLoop(IPEndPoint server, byte[] request, byte[] answer) : FrameLoop(server)
{
    private LatencyHistogram? _times;
    private bool _isAsking;
    private int _waiting;

    /// <summary>Answers other than the expected ones.</summary>
    public int Errors { get; private set; }

    /// <summary>Has all connections ask for a time.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="whileWaiting">Called now and then; must be quick.</param>
    /// <returns>The times of the requests.</returns>
    public (LatencyHistogram Times, TimeSpan Elapsed) Run(double seconds, Action? whileWaiting = null)
    {
        long begin = Now;
        _times = new LatencyHistogram();
        _isAsking = true;
        foreach (LoadPeer peer in Peers.Where(peer => peer.IsOpen))
        {
            Ask(peer);
        }

        while (Nanoseconds(begin) < seconds * 1e9)
        {
            Poll(1);
            whileWaiting?.Invoke();
        }

        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        LatencyHistogram times = _times;
        _isAsking = false;
        _times = null;

        // What is under way must not be taken for the first answers of the next run.
        long end = Now;
        while (_waiting > 0 && Nanoseconds(end) < 5e9)
        {
            Poll(10);
            whileWaiting?.Invoke();
        }

        return (times, elapsed);
    }

    protected override void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt)
    {
        _waiting--;
        if (!frame.EndsWith(answer))
        {
            Errors++;
        }

        _times?.Add(Nanoseconds(peer.SentAt));
        if (_isAsking)
        {
            Ask(peer);
        }
    }

    protected override void OnEnd(LoadPeer peer)
    {
        base.OnEnd(peer);
        _waiting--;
    }

    private void Ask(LoadPeer peer)
    {
        _waiting++;
        peer.SentAt = Now;
        Send(peer, request);
    }
}
