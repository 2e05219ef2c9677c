using System.Collections.Concurrent;

namespace CoAP.NET.Cluster;

/// <summary>
/// Resolves which of two nodes has the newer session of a device if their clocks cannot tell. Both ask the device in their session: the one
/// in which it answers or speaks is newer, and the other node is notified. Thread-safe.
/// </summary>
/// <param name="posts">Notifies the other node.</param>
internal sealed class DeviceDoubts(DevicePosts posts)
{
    // After a crash many devices may be in doubt; the rest is resolved with their next request.
    private const int Max = 256;

    private readonly ConcurrentDictionary<LocalDevice, (CoapNodeId Node, byte[] Session)> _asked = new();

    /// <summary>Asks a device, unless that is already happening.</summary>
    /// <param name="device">The device of this node.</param>
    /// <param name="other">The node with another session of it.</param>
    /// <param name="session">The id of that session.</param>
    public void Begin(LocalDevice device, CoapNodeId other, ReadOnlySpan<byte> session)
    {
        bool isUnderWay = _asked.ContainsKey(device);
        if (!isUnderWay && _asked.Count >= Max)
        {
            return;
        }

        // Of several other nodes the last one is notified; the earlier ones have learned by then that the device came there.
        _asked[device] = (other, session.ToArray());
        if (!isUnderWay)
        {
            _ = AskAsync(device);
        }
    }

    private async Task AskAsync(LocalDevice device)
    {
        // The caller may be the thread that reports links.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        bool isHere = await device.IsHeardAsync().ConfigureAwait(false);
        if (_asked.TryRemove(device, out (CoapNodeId Node, byte[] Session) other) && isHere)
        {
            posts.TryTellOfSession(other.Node, DevicePost.Answers, device.Key.Span, device.LastHeard, other.Session);
        }
    }
}
