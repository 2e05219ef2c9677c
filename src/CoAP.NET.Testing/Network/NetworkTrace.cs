using System.Globalization;
using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>What happened on a network. Guarded by the network's lock.</summary>
/// <param name="clock">The network's time.</param>
/// <param name="maxLength">How many events are kept; 0 for none.</param>
internal sealed class NetworkTrace(NetworkClock clock, int maxLength)
{
    private readonly Queue<NetworkEvent> _events = new();

    /// <summary>How many older events are not kept any more.</summary>
    public long Forgotten { get; private set; }

    /// <summary>The events that are kept, oldest first, as a copy.</summary>
    public NetworkEvent[] ToArray() => [.. _events];

    public void Add(NetworkEventKind kind, NetworkPacket? packet, CoapAddress to, string note = "")
    {
        if (maxLength == 0)
        {
            return;
        }

        if (_events.Count == maxLength)
        {
            _events.Dequeue();
            Forgotten++;
        }

        _events.Enqueue(new NetworkEvent(clock.Now, kind, packet, to, note));
    }

    /// <summary>The last events, one line for each.</summary>
    /// <param name="events">All that are kept.</param>
    /// <param name="forgotten">How many older ones there were.</param>
    /// <param name="last">How many are wanted.</param>
    public static string Print(NetworkEvent[] events, long forgotten, int last)
    {
        long left = forgotten + Math.Max(0, events.Length - last);
        IEnumerable<string> lines = events.TakeLast(last).Select(static happened => happened.ToString());
        return string.Join(
            Environment.NewLine,
            left == 0 ? lines : lines.Prepend(string.Create(CultureInfo.InvariantCulture, $"({left} earlier events)")));
    }
}
