namespace CoAP.NET.Cluster;

/// <summary>An observation at a device that this node has. Guarded by the gate of its <see cref="CoapClusterObservations"/>, unless said
/// otherwise.</summary>
/// <param name="key">The key of its record.</param>
/// <param name="fence">The fence under which this node has its slot.</param>
/// <param name="name">Its name.</param>
/// <param name="request">The registration.</param>
internal sealed class DurableObservation(CoapRecordKey key, CoapFence fence, string name, CoapMessage request)
{
    private CoapHeardNotification? _heard;
    private bool _isDirty;

    public CoapRecordKey Key => key;

    public CoapFence Fence => fence;

    public string Name => name;

    public CoapMessage Request => request;

    public string Session { get; } = ObservationRecord.SessionOf(key);

    /// <summary>What was heard last. Set by whoever receives, read by everybody.</summary>
    public CoapHeardNotification? Heard
    {
        get => Volatile.Read(ref _heard);
        set => Volatile.Write(ref _heard, value);
    }

    /// <summary>Whether something was heard that is not in the store. Set by whoever receives.</summary>
    public bool IsDirty
    {
        get => Volatile.Read(ref _isDirty);
        set => Volatile.Write(ref _isDirty, value);
    }

    /// <summary>Stops what it does at the device; null while the session of the device is not there.</summary>
    public CancellationTokenSource? Stop
    {
        get;
        set => (field, HasToken) = (value, false);
    }

    /// <summary>
    /// Whether its token is taken, so that notifications reach it: a moment after the session of the device is there.
    /// </summary>
    public bool HasToken { get; set; }

    /// <summary>Ends when it is known what became of the registration; null while the session of the device is not there.</summary>
    public TaskCompletionSource? Begun { get; set; }

    /// <summary>The observation, once it is known what became of the registration.</summary>
    public CoapObservation? Observation { get; set; }

    /// <summary>Since when its session is awaited, by the clock's timestamp.</summary>
    public long AwaitedSince { get; set; }

    /// <summary>When its record was put last, by the clock's timestamp.</summary>
    public long WrittenAt { get; set; }
}
