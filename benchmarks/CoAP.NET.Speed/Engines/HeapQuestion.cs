namespace CoAP.NET.Speed.Engines;

/// <summary>Asks a <see cref="BenchServer"/> how large its managed heap is.</summary>
/// <param name="server">The server.</param>
internal sealed class HeapQuestion(IPEndPoint server) : FrameLoop(server)
{
    private const int Digits = 20;
    private const double Patience = 30;

    private long? _answer;

    /// <summary>Asks, and waits for the answer.</summary>
    /// <returns>Bytes.</returns>
    /// <exception cref="TimeoutException">There was none.</exception>
    public long Ask()
    {
        Open(1, 1_000_001);
        Send(Peers[0], Frames.Request(CoapCode.Get, "heap"));
        for (long begin = Now; _answer is null;)
        {
            Poll(10);
            if (Nanoseconds(begin) > Patience * 1e9)
            {
                throw new TimeoutException($"The server did not tell its memory in {Patience} s.");
            }
        }

        return _answer.Value;
    }

    protected override void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt) =>
        _answer = long.Parse(frame[^Digits..], NumberStyles.None);
}
