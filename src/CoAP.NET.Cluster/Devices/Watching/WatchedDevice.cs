namespace CoAP.NET.Cluster;

/// <summary>
/// A device of this node at which a resource is observed, and what is known of the resource. Guarded by the gate of its
/// <see cref="DeviceWatch"/>, unless said otherwise.
/// </summary>
/// <param name="device">The device. Needs no lock.</param>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class WatchedDevice(LocalDevice device)
#pragma warning restore CA1001
{
    public LocalDevice Device => device;

    /// <summary>Cancelled when the device is not here any more, or nobody wants to know. Needs no lock.</summary>
    public CancellationTokenSource Stop { get; } = new();

    /// <summary>The state of the resource, or why it is not observed; the response is null where there is none that can be kept.</summary>
    public CoapResponse? Latest { get; private set; }

    /// <summary>Why it is not observed; null where it is.</summary>
    public CoapDeviceRefusal? Refusal { get; private set; }

    /// <summary>How often something new was heard; 0 for never.</summary>
    public long Version { get; private set; }

    /// <summary>Whether the device is not here any more.</summary>
    public bool IsGone { get; set; }

    /// <summary>Whether another node has it now, as far as is known.</summary>
    public bool HasMoved { get; set; }

    /// <summary>Whether its state is to be read, as a node before may have heard of a newer one than anybody was told.</summary>
    public bool MustBeRead { get; set; }

    /// <summary>What was heard last, which is not told twice.</summary>
    public CoapResponse? Heard { get; set; }

    /// <summary>Whether the device is to hear nothing of the end, as it is elsewhere, or another process may go on.</summary>
    public bool IsLeft { get; set; }

    /// <summary>Wakes who looks after it. Needs no lock.</summary>
    public WakeSignal Changed { get; } = new();

    /// <summary>The device says something new.</summary>
    /// <param name="response">What.</param>
    public void Take(CoapResponse response)
    {
        (Latest, Refusal, MustBeRead) = (response, null, false);
        Version++;
    }

    /// <summary>The device is not observed.</summary>
    /// <param name="refusal">Why.</param>
    /// <param name="response">What it answered; null when that is not kept.</param>
    /// <returns>False when it is known already.</returns>
    public bool TryRefuse(CoapDeviceRefusal refusal, CoapResponse? response)
    {
        bool isNews = Refusal != refusal || Latest?.Code != response?.Code;
        (Latest, Refusal, MustBeRead) = (response, refusal, false);
        Version += isNews ? 1 : 0;
        return isNews;
    }
}
