namespace CoAP.NET.Cluster;

/// <summary>A device by its name. It is found anew for each request, as it may be at another node by now.</summary>
internal sealed class ClusterDevice(ClusterDevices devices, string name, byte[] key) : ICoapDevice
{
    public string Name { get; } = name;

    public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return devices.SendAsync(Name, key, request, cancellationToken);
    }

    public Task<CoapObservation> ObserveAsync(
        CoapRequest request, CoapObserveOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return devices.ObserveAsync(Name, key, request, options, cancellationToken);
    }

    public Task<CoapDeviceStatus> GetStatusAsync(CancellationToken cancellationToken = default) =>
        devices.GetStatusAsync(Name, key, cancellationToken);

    public override string ToString() => CoapForeignText.LineOf(Name);
}
