namespace CoAP.NET.Cluster;

/// <summary>Finds devices at other nodes in place of the links of the cluster, and sends requests to them. Thread-safe.</summary>
/// <remarks>The names are valid, with their bytes.</remarks>
internal interface IDeviceRouter
{
    /// <summary>Sends a request to a device, here or elsewhere.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapDeviceException">There is no answer.</exception>
    Task<CoapResponse> SendAsync(string name, byte[] key, CoapRequest request, CancellationToken cancellationToken);

    /// <summary>Observes a resource of a device, here or elsewhere.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="observe">The options; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting, and ends the observation.</param>
    /// <exception cref="CoapDeviceException">The device did not answer, or has too many observations.</exception>
    Task<CoapObservation> ObserveAsync(
        string name, byte[] key, CoapRequest request, CoapObserveOptions? observe, CancellationToken cancellationToken);

    /// <summary>Returns the status of a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task<CoapDeviceStatus> GetStatusAsync(string name, byte[] key, CancellationToken cancellationToken);

    /// <summary>Waits until a device is awake, here or elsewhere; may return early.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    Task WhenAwakeAsync(string name, byte[] key, CancellationToken cancellationToken);

    /// <summary>Forgets a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if the store is not available.</returns>
    Task<bool> TryForgetAsync(string name, byte[] key, CancellationToken cancellationToken);

    /// <summary>Asks the node that owns an outbox (<see cref="OutboxRouting"/>).</summary>
    /// <param name="home">The node.</param>
    /// <param name="question">The question.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer; null if the node is not reachable now.</returns>
    Task<CoapResponse?> AskOutboxAsync(CoapNodeId home, CoapRequest question, CancellationToken cancellationToken);
}
