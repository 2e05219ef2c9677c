namespace CoAP.NET.Speed.SlowSenders;

/// <summary>Observers of one resource, a connection each, and one client more that changes it at a steady rate.</summary>
/// <param name="server">The server.</param>
internal sealed class ObserverLoop(IPEndPoint server) : FrameLoop(server)
{
    private const int AnswersUnread = 64;

    private static readonly byte[] s_register = Frames.Request(CoapCode.Get, "state", token: 0x0103,
        options: options => options.Add(new Observe(0)));
    private static readonly byte[] s_change = Frames.Request(CoapCode.Put, "state", token: 0x0104);
    private static readonly byte[] s_large = Frames.Request(CoapCode.Get, "large", token: 0x0105);

    private LoadPeer Changer => Peers[^1];

    private LoadPeer Staller => Peers[0];

    /// <summary>Registers all but the last connection.</summary>
    public void Register()
    {
        foreach (LoadPeer peer in Peers.SkipLast(1))
        {
            Send(peer, s_register);
        }

        long begin = Now;
        while (Peers.SkipLast(1).Any(peer => peer.Count == 0) && Nanoseconds(begin) < 10e9)
        {
            Poll(10);
        }
    }

    /// <summary>
    /// The first observer stops reading. It also asked for much before, so that what the system holds for it is full at once and not after
    /// minutes.
    /// </summary>
    public void StallOne()
    {
        Stall(Staller);
        for (int i = 0; i < AnswersUnread; i++)
        {
            Send(Staller, s_large);
        }
    }

    /// <summary>Changes the resource at a steady rate.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="rate">Changes a second.</param>
    /// <returns>Notifications that the others than the first got, for each change and each of them.</returns>
    public double Run(double seconds, int rate)
    {
        foreach (LoadPeer peer in Peers)
        {
            peer.Count = 0;
        }

        long begin = Now;
        int changes = 0;
        while (Nanoseconds(begin) < seconds * 1e9)
        {
            if (Nanoseconds(begin) * rate / 1e9 >= changes)
            {
                changes++;
                Send(Changer, s_change);
            }

            Poll(1);
        }

        // What is on its way counts.
        long end = Now;
        while (Nanoseconds(end) < 1e9)
        {
            Poll(10);
        }

        LoadPeer[] others = [.. Peers.Skip(1).SkipLast(1)];
        return others.Sum(peer => (double)peer.Count) / others.Length / changes;
    }

    protected override void OnFrame(LoadPeer peer, byte code, ReadOnlySpan<byte> frame, int tokenAt) => peer.Count++;
}
