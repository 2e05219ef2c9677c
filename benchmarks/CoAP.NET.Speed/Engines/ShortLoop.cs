namespace CoAP.NET.Speed.Engines;

/// <summary>A closed loop over connections of one request: connect, CSM, request, answer, close, and again.</summary>
internal sealed class ShortLoop : FrameLoop
{
    // So many are begun at a time: a listening socket's queue is bounded.
    private const int Ahead = 100;

    private readonly byte[] _opening;
    private readonly byte[] _answer;
    private long _answered;

    /// <summary>Makes the loop.</summary>
    /// <param name="server">The server.</param>
    /// <param name="request">The request, as a frame.</param>
    /// <param name="answer">How the answer ends.</param>
    public ShortLoop(IPEndPoint server, byte[] request, byte[] answer)
        : base(server)
    {
        _opening = [.. Frames.Csm, .. request];
        _answer = answer;
    }

    /// <summary>Answers other than the expected ones.</summary>
    public int Errors { get; private set; }

    /// <summary>Lets connections come and go from now on.</summary>
    /// <param name="count">How many are open at any time.</param>
    public void Start(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Connect(Add());
            if (i % Ahead == 0)
            {
                Poll(1);
            }
        }
    }

    /// <summary>Goes on for a time.</summary>
    /// <returns>How many requests were answered in it.</returns>
    public (long Answered, TimeSpan Elapsed) Run(double seconds)
    {
        long begin = Now;
        long before = _answered;
        while (Nanoseconds(begin) < seconds * 1e9)
        {
            Poll(1);
        }

        return (_answered - before, TimeProvider.System.GetElapsedTime(begin));
    }

    protected override void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt)
    {
        if (frame.EndsWith(_answer))
        {
            _answered++;
        }
        else
        {
            Errors++;
        }

        Close(peer);
        Connect(peer);
    }

    protected override void OnEnd(LoadPeer peer)
    {
        base.OnEnd(peer);
        Connect(peer);
    }

    private void Connect(LoadPeer peer) => Connect(peer, _opening);
}
