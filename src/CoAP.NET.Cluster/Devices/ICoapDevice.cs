namespace CoAP.NET.Cluster;

/// <summary>
/// A device of a cluster, which can be asked and observed from any node, as a <see cref="CoapPeer"/> can be. URIs may be paths, such as
/// <c>/3/0/9</c>; whatever host one names, it is this device that is asked. Thread-safe.
/// </summary>
/// <remarks>
/// Requests fail by <see cref="CoapDeviceUnknownException"/>, <see cref="CoapDeviceAsleepException"/> and
/// <see cref="CoapDeviceUnreachableException"/>, wherever the device is; other failures are <see cref="CoapDeviceException"/>. A request
/// that its caller cancels ends with an <see cref="OperationCanceledException"/>, and is given up at the node that asks the device.
/// An observation that has begun goes on wherever the device is, also when its node dies: the device is observed again where it is then.
/// It has one registration for all who observe the same, on any node. One that cannot begin fails as requests do.
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

    /// <summary>Sends a request, now or from the outbox.</summary>
    /// <param name="request">The request. For the outbox its body has to be in memory, and it may have some 60 KiB.</param>
    /// <param name="options">How.</param>
    /// <param name="cancellationToken">Stops waiting; what waits in the outbox and was not sent is cancelled.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapDeviceException">No response came; the derived type says why.</exception>
    Task<CoapResponse> SendAsync(CoapRequest request, CoapDeviceRequestOptions options, CancellationToken cancellationToken = default);

    /// <summary>
    /// Puts a request into the outbox of the device: it is sent when the device is awake and those before it are answered, one at a time
    /// and in their order, also by another node when this one dies.
    /// </summary>
    /// <param name="request">The request. Its body has to be in memory, and it may have some 60 KiB.</param>
    /// <param name="options">For how long, and whose share it takes; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting; the request is cancelled.</param>
    /// <returns>What is in the store now. Its id waits for the answer (<see cref="WaitAsync"/>).</returns>
    /// <exception cref="CoapDeviceQueueException">It was not taken.</exception>
    /// <exception cref="CoapDeviceUnknownException">No node has ever seen the device.</exception>
    /// <exception cref="CoapDeviceUnreachableException">The node that keeps the outbox cannot be reached.</exception>
    Task<CoapQueuedRequest> QueueAsync(
        CoapRequest request, CoapDeviceRequestOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Waits for the answer to a request from the outbox, on any node, and also after a restart.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Stops waiting; the request goes on waiting.</param>
    /// <returns>The response, an error response too.</returns>
    /// <exception cref="CoapDeviceQueueException">There is none; <see cref="CoapDeviceQueueException.Fault"/> says why.</exception>
    Task<CoapResponse> WaitAsync(Guid id, CancellationToken cancellationToken = default);

    /// <summary>The requests that wait in the outbox, in the order in which they will be sent.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The requests.</returns>
    /// <exception cref="CoapDeviceUnreachableException">The node that keeps the outbox cannot be reached.</exception>
    Task<IReadOnlyList<CoapQueuedRequest>> GetQueuedAsync(CancellationToken cancellationToken = default);

    /// <summary>Cancels a request that waits in the outbox and was not sent.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False when it was sent already, or is not known.</returns>
    /// <exception cref="CoapDeviceUnreachableException">The node that keeps the outbox cannot be reached.</exception>
    Task<bool> CancelAsync(Guid id, CancellationToken cancellationToken = default);
}
