using System.Globalization;

namespace CoAP.NET.Testing.Network;

/// <summary>Records the events of a network. Guarded by the network's lock.</summary>
/// <param name="clock">The network's time.</param>
/// <param name="maxLength">The maximum number of kept events; 0 for none.</param>
internal sealed class NetworkTrace(NetworkElapsedTime clock, int maxLength)
{
    private readonly Queue<NetworkEvent> _events = new();

    /// <summary>The number of dropped older events.</summary>
    public long Forgotten { get; private set; }

    /// <summary>Returns a copy of the kept events, oldest first.</summary>
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
    /// <param name="events">The kept events.</param>
    /// <param name="forgotten">The number of dropped older events.</param>
    /// <param name="last">The number of events to print.</param>
    public static string Print(NetworkEvent[] events, long forgotten, int last)
    {
        long left = forgotten + Math.Max(0, events.Length - last);
        IEnumerable<string> lines = events.TakeLast(last).Select(static happened => happened.ToString());
        return string.Join(
            Environment.NewLine,
            left == 0 ? lines : lines.Prepend(string.Create(CultureInfo.InvariantCulture, $"({left} earlier events)")));
    }
}
