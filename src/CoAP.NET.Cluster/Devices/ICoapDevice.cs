namespace CoAP.NET.Cluster;

/// <summary>
/// A device of a cluster. The active node, or each node on Orleans, can send requests to it and observe it, as with a
/// <see cref="CoapPeer"/>. Thread-safe.
/// </summary>
/// <remarks>
/// URIs may be paths, such as <c>/3/0/9</c>; a host in a URI is ignored.
/// <para>Requests fail with <see cref="CoapDeviceException"/> and the same <see cref="CoapDeviceException.Fault"/> on every node. A
/// canceled request throws an <see cref="OperationCanceledException"/>, and the node of the device aborts it.</para>
/// <para>An observation follows the device, also when its node fails: the next node observes the device again. The device has one
/// registration for all observers of the same resource on all nodes. An observation that cannot start fails like a request.</para>
/// </remarks>
public interface ICoapDevice : ICoapClient
{
    /// <summary>The name of the device.</summary>
    string Name { get; }

    /// <summary>Returns the node of the device and the time of its last message, without a request to it.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Its status.</returns>
    /// <exception cref="CoapDeviceException">The status is unknown because the store of the cluster is unavailable.</exception>
    Task<CoapDeviceStatus> GetStatusAsync(CancellationToken cancellationToken = default);

    /// <summary>Sends a request, now or from the outbox.</summary>
    /// <param name="request">The request. For the outbox its body must be in memory, with some 60 KiB at most.</param>
    /// <param name="options">The options.</param>
    /// <param name="cancellationToken">Stops waiting; a request in the outbox that was not sent is canceled.</param>
    /// <returns>The response, including an error response.</returns>
    /// <exception cref="CoapDeviceException">There is no response; <see cref="CoapDeviceException.Fault"/> is the reason.</exception>
    Task<CoapResponse> SendAsync(CoapRequest request, CoapDeviceRequestOptions options, CancellationToken cancellationToken = default);

    /// <summary>Puts a request into the outbox of the device.</summary>
    /// <remarks>
    /// The cluster sends it when the device is awake and earlier requests are answered: one at a time, in order, and also if this node
    /// fails.
    /// </remarks>
    /// <param name="request">The request. Its body must be in memory, with some 60 KiB at most.</param>
    /// <param name="options">The lifetime and the caller whose share it takes; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting and cancels the request.</param>
    /// <returns>The stored request. Pass its id to <see cref="WaitAsync"/> to get the response.</returns>
    /// <exception cref="CoapDeviceException">The request was not accepted, no node has ever seen the device, or the node that owns the
    /// outbox is not reachable.</exception>
    Task<CoapQueuedRequest> QueueAsync(
        CoapRequest request, CoapDeviceRequestOptions? options = null, CancellationToken cancellationToken = default);

    /// <summary>Waits for the response to a request from the outbox, on any node, and also after a restart.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Stops waiting; the request stays in the outbox.</param>
    /// <returns>The response, including an error response.</returns>
    /// <exception cref="CoapDeviceException">There is no response; <see cref="CoapDeviceException.Fault"/> is the reason.</exception>
    Task<CoapResponse> WaitAsync(Guid id, CancellationToken cancellationToken = default);

    /// <summary>Lists the requests in the outbox in their order.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The requests.</returns>
    /// <exception cref="CoapDeviceException">The node that owns the outbox is not reachable.</exception>
    Task<IReadOnlyList<CoapQueuedRequest>> GetQueuedAsync(CancellationToken cancellationToken = default);

    /// <summary>Cancels a request in the outbox that was not sent yet.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if it was already sent, or is unknown.</returns>
    /// <exception cref="CoapDeviceException">The node that owns the outbox is not reachable.</exception>
    Task<bool> CancelAsync(Guid id, CancellationToken cancellationToken = default);
}
