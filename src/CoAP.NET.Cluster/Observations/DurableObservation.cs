using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Observations;

/// <summary>
/// An observation of this node at a device. Guarded by the gate of its <see cref="CoapClusterObservations"/>, unless noted otherwise.
/// </summary>
/// <param name="key">The key of its record.</param>
/// <param name="fence">The fence of this node for its slot.</param>
/// <param name="name">Its name.</param>
/// <param name="request">The registration.</param>
/// <param name="now">The time, as a timestamp of the clock.</param>
internal sealed class DurableObservation(CoapRecordKey key, CoapFencingToken fence, string name, CoapMessage request, long now)
{
    private CoapNotificationPosition? _heard;
    private bool _isDirty;

    public CoapRecordKey Key => key;

    public CoapFencingToken Fence => fence;

    public string Name => name;

    public CoapMessage Request => request;

    public string Session { get; } = ObservationRecord.SessionOf(key);

    /// <summary>The latest notification. Set by the receiving thread, read by all.</summary>
    public CoapNotificationPosition? Heard
    {
        get => Volatile.Read(ref _heard);
        set => Volatile.Write(ref _heard, value);
    }

    /// <summary>Whether the latest notification is not stored yet. Set by the receiving thread.</summary>
    public bool IsDirty
    {
        get => Volatile.Read(ref _isDirty);
        set => Volatile.Write(ref _isDirty, value);
    }

    /// <summary>Stops its work at the device; null without a session of the device.</summary>
    public CancellationTokenSource? Stop
    {
        get;
        set => (field, HasToken) = (value, false);
    }

    /// <summary>Whether its token is registered for notifications: a moment after the session of the device arrives.</summary>
    public bool HasToken { get; set; }

    /// <summary>Completes when the outcome of the registration is known; null without a session of the device.</summary>
    public TaskCompletionSource? Begun { get; set; }

    /// <summary>The observation, once the outcome of the registration is known.</summary>
    public CoapObservation? Observation { get; set; }

    /// <summary>The time since which its session is awaited, as a timestamp of the clock.</summary>
    public long AwaitedSince { get; set; } = now;

    /// <summary>The time of the last write of its record, as a timestamp of the clock.</summary>
    public long WrittenAt { get; set; }
}
