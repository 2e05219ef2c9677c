namespace CoAP.NET.Cluster;

/// <summary>How a request to a device is sent.</summary>
public sealed class CoapDeviceRequestOptions
{
    /// <summary>The length of <see cref="Caller"/> at most, in characters: 255.</summary>
    public const int MaxCallerLength = 255;

    /// <summary>
    /// Whether the request waits in the outbox until the device is awake and those before it are answered, in the store, so that it
    /// outlives nodes. Default false: it is sent now, or fails. <see cref="ICoapDevice.QueueAsync"/> does it in any case.
    /// </summary>
    public bool Queue { get; set; }

    /// <summary>How long it waits in the outbox at most, 1 s to 365 days; default 1 day.</summary>
    public TimeSpan Lifetime { get; set; } = TimeSpan.FromDays(1);

    /// <summary>
    /// Whether the request is sent again when it may have taken effect, as it was sent and not answered, or the node that sent it died.
    /// Default false: a POST or PATCH then fails with <see cref="CoapDeviceQueueFault.PerhapsSent"/>. Other methods are sent again anyway,
    /// as it makes no difference (RFC 7252 section 5.1).
    /// </summary>
    public bool RepeatWhenInDoubt { get; set; }

    /// <summary>
    /// Whose share of the outbox it takes (<see cref="CoapDeviceOptions.MaxQueuedPerCaller"/>), such as a tenant or a user; at most 255
    /// characters. Default empty: the application itself.
    /// </summary>
    public string Caller { get; set; } = "";
}
