using CoAP.NET.Speed.Broadcast;

namespace CoAP.NET.Speed.SlowSenders;

/// <summary>Clients of a chat of which one may stop reading.</summary>
/// <param name="server">The server.</param>
internal sealed class ObserverLoop(IPEndPoint server) : BroadcastLoop(server)
{
    private const int AnswersUnread = 64;

    private static readonly byte[] s_large = Frames.Request(CoapCode.Get, "large", token: 0x0105);

    private LoadPeer Staller => Peers[0];

    /// <summary>
    /// The first client stops reading. It also asked for much before, so that what the system holds for it is full at once and not after
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

    /// <summary>Sends messages at a steady rate.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="rate">Messages a second.</param>
    /// <param name="cpu">Tells the processor time that the server took so far.</param>
    /// <returns>Messages that the others than the first got, for each message and each of them, and the processor time of the server in a
    /// second.</returns>
    public (double Messages, TimeSpan Cpu) Run(double seconds, int rate, Func<TimeSpan> cpu)
    {
        foreach (LoadPeer peer in Peers)
        {
            peer.Count = 0;
        }

        BroadcastResult result = RunAtRate(seconds, rate, cpu);
        LoadPeer[] others = [.. Peers.Skip(1)];
        return (others.Sum(peer => (double)peer.Count) / others.Length / result.Sent, result.Cpu / result.Elapsed.TotalSeconds);
    }

    /// <summary>The last client sends all messages: it never stops reading.</summary>
    protected override LoadPeer SenderOf(int message) => Peers[^1];
}
