using System.Collections.Concurrent;

namespace CoAP.NET.Cluster;

/// <summary>Who waits on this node until a device is awake, wherever it is. Thread-safe.</summary>
internal sealed class DeviceWaits
{
    private readonly ConcurrentDictionary<string, TaskCompletionSource> _waiting = new(StringComparer.Ordinal);

    /// <summary>The names that somebody waits for; a list of its own.</summary>
    public IReadOnlyList<string> Names => [.. _waiting.Keys];

    /// <summary>Ends when the device is said to be awake next, be it true or not.</summary>
    /// <param name="name">The name of the device.</param>
    public Task Next(string name) =>
        _waiting.GetOrAdd(name, static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Nobody waits any more.</summary>
    /// <param name="name">The name of the device.</param>
    public void Leave(string name) => _waiting.TryRemove(name, out _);

    /// <summary>The device is awake.</summary>
    /// <param name="name">Its name.</param>
    public void Tell(string name)
    {
        if (_waiting.TryRemove(name, out TaskCompletionSource? waiting))
        {
            waiting.TrySetResult();
        }
    }
}
