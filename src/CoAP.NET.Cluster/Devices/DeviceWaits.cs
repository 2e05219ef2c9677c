using System.Collections.Concurrent;

namespace CoAP.NET.Cluster;

/// <summary>The callers on this node that wait until a device on any node is awake. Thread-safe.</summary>
internal sealed class DeviceWaits
{
    private readonly ConcurrentDictionary<string, TaskCompletionSource> _waiting = new(StringComparer.Ordinal);

    /// <summary>A copy of the awaited names.</summary>
    public IReadOnlyList<string> Names => [.. _waiting.Keys];

    /// <summary>A task that completes when the device is next reported awake, correctly or not.</summary>
    /// <param name="name">The name of the device.</param>
    public Task Next(string name) =>
        _waiting.GetOrAdd(name, static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    /// <summary>Ends waiting.</summary>
    /// <param name="name">The name of the device.</param>
    public void Leave(string name) => _waiting.TryRemove(name, out _);

    /// <summary>Reports that a device is awake.</summary>
    /// <param name="name">Its name.</param>
    public void Tell(string name)
    {
        if (_waiting.TryRemove(name, out TaskCompletionSource? waiting))
        {
            waiting.TrySetResult();
        }
    }
}
