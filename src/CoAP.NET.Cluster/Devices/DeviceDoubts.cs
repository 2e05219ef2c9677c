using System.Collections.Concurrent;

namespace CoAP.NET.Cluster;

/// <summary>
/// Two nodes have a session of one device each, and their clocks do not tell which is the newer one. Both ask the device in theirs: where
/// it answers or speaks, it is, and the other node is told. Thread-safe.
/// </summary>
/// <param name="posts">Tells the other node.</param>
internal sealed class DeviceDoubts(DevicePosts posts)
{
    // After a crash many may be in doubt at once; the others are asked when somebody asks them.
    private const int Max = 256;

    private readonly ConcurrentDictionary<LocalDevice, (CoapNodeId Node, byte[] Session)> _asked = new();

    /// <summary>Asks a device, unless that is under way.</summary>
    /// <param name="device">The device of this node.</param>
    /// <param name="other">The node that has another session of it.</param>
    /// <param name="session">The id of that session.</param>
    public void Begin(LocalDevice device, CoapNodeId other, ReadOnlySpan<byte> session)
    {
        bool isUnderWay = _asked.ContainsKey(device);
        if (!isUnderWay && _asked.Count >= Max)
        {
            return;
        }

        // Of several other nodes the last one is told; the first one has heard then that the device came there.
        _asked[device] = (other, session.ToArray());
        if (!isUnderWay)
        {
            _ = AskAsync(device);
        }
    }

    private async Task AskAsync(LocalDevice device)
    {
        // The caller may be a thread that tells of links.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        bool isHere = await device.IsHeardAsync().ConfigureAwait(false);
        if (_asked.TryRemove(device, out (CoapNodeId Node, byte[] Session) other) && isHere)
        {
            posts.TryTellOfSession(other.Node, DevicePost.Answers, device.Key.Span, device.LastHeard, other.Session);
        }
    }
}
