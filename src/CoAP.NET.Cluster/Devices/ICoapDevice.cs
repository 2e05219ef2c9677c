namespace CoAP.NET.Cluster;

/// <summary>
/// A device of a cluster, which can be asked and observed from any node, as a <see cref="CoapPeer"/> can be where its session is. URIs may
/// be paths, such as <c>/3/0/9</c>; whatever host one names, it is this device that is asked. Thread-safe.
/// </summary>
/// <remarks>
/// Requests fail by <see cref="CoapDeviceUnknownException"/>, <see cref="CoapDeviceAsleepException"/> and
/// <see cref="CoapDeviceUnreachableException"/>, wherever the device is; other failures are <see cref="CoapDeviceException"/>. A request
/// that its caller cancels ends with an <see cref="OperationCanceledException"/>, and is given up at the node that asks the device.
/// </remarks>
public interface ICoapDevice : ICoapObserver
{
    /// <summary>The name of the device.</summary>
    string Name { get; }

    /// <summary>Finds out where the device is and when it was heard, without asking it.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>What is known of it.</returns>
    /// <exception cref="CoapDeviceUnreachableException">Nobody knows now, as the store of the cluster is away.</exception>
    Task<CoapDeviceStatus> GetStatusAsync(CancellationToken cancellationToken = default);
}
