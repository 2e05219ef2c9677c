namespace CoAP.NET.Cluster;

/// <summary>The devices of a cluster by name, available for injection. Thread-safe.</summary>
/// <remarks>
/// <c>devices["meter-7"].GetAsync("/3/0/9")</c> sends a request to a device over its session or connection with one of the nodes.
/// <c>DevicesAre</c> or <see cref="Announce"/> assign names to peers.
/// </remarks>
public interface ICoapDevices
{
    /// <summary>The maximum length of a name, in bytes of UTF-8: 255.</summary>
    const int MaxNameLength = 255;

    /// <summary>Returns a device, known or unknown.</summary>
    /// <remarks>The cluster looks it up with each request. The object is cheap and need not be kept.</remarks>
    /// <param name="name">Its name, 1 to 255 bytes of UTF-8.</param>
    /// <exception cref="ArgumentException">The name is empty, too long, or not valid in UTF-8.</exception>
    ICoapDevice this[string name] { get; }

    /// <summary>
    /// Returns a copy of the list of devices that have a session or connection with a server of this node, or were announced here.
    /// </summary>
    /// <returns>The devices, unordered.</returns>
    IReadOnlyList<CoapDeviceStatus> GetLocal();

    /// <summary>
    /// Declares a peer to be a device, for peers without a session or connection: on plain <c>coap</c>, or behind OSCORE.
    /// </summary>
    /// <remarks>
    /// A server calls it when the device registers. The device's previous peer loses the name. The peer must have authenticated the name.
    /// </remarks>
    /// <param name="name">The name of the device.</param>
    /// <param name="peer">The peer, of an endpoint of this node.</param>
    /// <exception cref="ArgumentException">The name is empty, too long, or not valid in UTF-8.</exception>
    void Announce(string name, CoapPeer peer);

    /// <summary>
    /// Forgets a device that no longer exists, such as one removed from service. It is then unknown until it connects again.
    /// </summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>A task that completes when the store has forgotten it.</returns>
    /// <exception cref="ArgumentException">The name is empty, too long, or not valid in UTF-8.</exception>
    /// <exception cref="CoapClusterStoreException">The store is not available now, or the node that owns the records of the device could
    /// not be notified.</exception>
    Task ForgetAsync(string name, CancellationToken cancellationToken = default);
}
