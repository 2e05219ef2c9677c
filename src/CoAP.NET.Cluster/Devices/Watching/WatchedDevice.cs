namespace CoAP.NET.Cluster;

/// <summary>
/// A device of this node with an observed resource, and the state of the resource. Guarded by the gate of its <see cref="DeviceWatch"/>,
/// unless noted otherwise.
/// </summary>
/// <param name="device">The device. Needs no lock.</param>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class WatchedDevice(LocalDevice device)
#pragma warning restore CA1001
{
    public LocalDevice Device => device;

    /// <summary>Canceled when the device has left, or there are no observers. Needs no lock.</summary>
    public CancellationTokenSource Stop { get; } = new();

    /// <summary>The state of the resource, or the response that prevents the observation; null if no response can be kept.</summary>
    public CoapResponse? Latest { get; private set; }

    /// <summary>The reason why it is not observed; null if it is.</summary>
    public CoapDeviceRefusal? Refusal { get; private set; }

    /// <summary>The number of news; 0 for none.</summary>
    public long Version { get; private set; }

    /// <summary>Whether the device has left.</summary>
    public bool IsGone { get; set; }

    /// <summary>Whether another node is known to have it.</summary>
    public bool HasMoved { get; set; }

    /// <summary>Whether its state must be read because the previous node may have received a newer one that it did not report.</summary>
    public bool MustBeRead { get; set; }

    /// <summary>The last message, which is not reported twice.</summary>
    public CoapResponse? Heard { get; set; }

    /// <summary>Whether to end without a message to the device because it is elsewhere, or another process may continue.</summary>
    public bool IsLeft { get; set; }

    /// <summary>Wakes its maintenance task. Needs no lock.</summary>
    public WakeSignal Changed { get; } = new();

    /// <summary>Sets a new state.</summary>
    /// <param name="response">The message.</param>
    public void Take(CoapResponse response)
    {
        (Latest, Refusal, MustBeRead) = (response, null, false);
        Version++;
    }

    /// <summary>Records that the device is not observed.</summary>
    /// <param name="refusal">The reason.</param>
    /// <param name="response">Its response; null if it is not kept.</param>
    /// <returns>False if this is already known.</returns>
    public bool TryRefuse(CoapDeviceRefusal refusal, CoapResponse? response)
    {
        bool isNews = Refusal != refusal || Latest?.Code != response?.Code;
        (Latest, Refusal, MustBeRead) = (response, refusal, false);
        Version += isNews ? 1 : 0;
        return isNews;
    }
}
