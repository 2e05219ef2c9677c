using System.Net;

namespace CoAP.NET.Bench;

/// <summary>A closed loop over connections of one request: connect, CSM, request, answer, close, and again.</summary>
internal sealed class ShortLoop : FrameLoop
{
    private readonly byte[] _opening;
    private readonly byte[] _answer;
    private bool _isAsking;
    private int _open;
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

    /// <summary>Has connections come and go for a time.</summary>
    /// <param name="count">How many are open at any time.</param>
    /// <param name="seconds">How long.</param>
    /// <returns>How many were answered.</returns>
    public (long Answered, TimeSpan Elapsed) Run(int count, double seconds)
    {
        long begin = Now;
        _answered = 0;
        _isAsking = true;
        for (int i = 0; i < count; i++)
        {
            Connect(i < Peers.Count ? Peers[i] : Add());
        }

        while (Nanoseconds(begin) < seconds * 1e9)
        {
            Poll(1);
        }

        (long answered, TimeSpan elapsed) = (_answered, TimeProvider.System.GetElapsedTime(begin));
        _isAsking = false;
        long end = Now;
        while (_open > 0 && Nanoseconds(end) < 5e9)
        {
            Poll(10);
        }

        return (answered, elapsed);
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
        Again(peer);
    }

    protected override void OnEnd(LoadPeer peer)
    {
        base.OnEnd(peer);
        Again(peer);
    }

    private void Again(LoadPeer peer)
    {
        _open--;
        if (_isAsking)
        {
            Connect(peer);
        }
    }

    private void Connect(LoadPeer peer)
    {
        _open++;
        Connect(peer, _opening);
    }
}
