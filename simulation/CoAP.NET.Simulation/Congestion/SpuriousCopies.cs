namespace CoAP.NET.Simulation.Congestion;

/// <summary>
/// Counts copies of requests in the trace of a network, and those among them that were not needed. The server answers at once, so what it
/// sends next after an arrival is the answer.
/// </summary>
public sealed class SpuriousCopies
{
    private readonly Dictionary<(CoapAddress Client, ushort MessageId), List<long>> _copies = [];
    private readonly Dictionary<long, long> _copyAnsweredBy = [];
    private readonly HashSet<(CoapAddress Client, ushort MessageId)> _answered = [];
    private long _arrived;

    private SpuriousCopies()
    {
    }

    /// <summary>All copies.</summary>
    public int Copies { get; private set; }

    /// <summary>Copies sent while the answer to an earlier one was still to arrive, and did.</summary>
    public int Spurious { get; private set; }

    /// <summary>Reads a trace.</summary>
    /// <param name="trace">The trace.</param>
    /// <param name="server">The server's address.</param>
    /// <returns>The counts.</returns>
    internal static SpuriousCopies Count(IEnumerable<NetworkEvent> trace, CoapAddress server)
    {
        SpuriousCopies counts = new();
        foreach (NetworkEvent happened in trace)
        {
            if (happened.Packet is { } packet)
            {
                counts.Read(happened.Kind, packet, packet.To == server);
            }
        }

        return counts;
    }

    private void Read(NetworkEventKind kind, NetworkPacket packet, bool isRequest)
    {
        switch (kind)
        {
            case NetworkEventKind.Sent when isRequest:
                if (!_copies.TryGetValue((packet.From, packet.MessageId), out List<long>? copies))
                {
                    _copies.Add((packet.From, packet.MessageId), copies = []);
                }

                copies.Add(packet.Number);
                Copies += copies.Count > 1 ? 1 : 0;
                break;
            case NetworkEventKind.Delivered when isRequest:
                _arrived = packet.Number;
                break;
            case NetworkEventKind.Sent:
                _copyAnsweredBy[packet.Number] = _arrived;
                break;
            case NetworkEventKind.Delivered when _answered.Add((packet.To, packet.MessageId)):
                // Numbers of datagrams grow with time.
                long answered = _copyAnsweredBy[packet.Number];
                Spurious += _copies[(packet.To, packet.MessageId)].Count(copy => copy > answered);
                break;
            default:
                break;
        }
    }
}
