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
    /// Observes a resource at all devices of all nodes (RFC 7641): at the connected ones, and at new ones as soon as they connect.
    /// </summary>
    /// <remarks>
    /// The observation follows devices when their slots move or nodes die. Each node observes its devices once for all observers of the
    /// same resource, and limits the rate of registrations (<see cref="CoapDeviceOptions.RegistrationsPerSecond"/>).
    /// <para>A slow reader misses states, but never devices: each device waits once for the reader, which then gets its newest state. After
    /// the loss of a node or a link the reader may get a state again.</para>
    /// <para>A session that survives its node keeps its registration: the next node receives notifications with the same token, without a
    /// message to the device. If a node died, the next one reads the state once because the last notifications may be lost. Devices are
    /// deregistered a minute after the last observer has left; an application that restarts and observes the same resource again keeps
    /// their registrations.</para>
    /// </remarks>
    /// <param name="path">The path of the resource, such as <c>/3303/0/5700</c>, with an optional query.</param>
    /// <param name="accept">The requested Content-Format; null for the default of each device.</param>
    /// <param name="cancellationToken">Ends the observation, like the end of the enumeration.</param>
    /// <returns>The events, in order per device. The sequence ends only by cancellation.</returns>
    /// <exception cref="ArgumentException">The path is not valid, or too long.</exception>
    /// <exception cref="OperationCanceledException">The observation was canceled during a read.</exception>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    IAsyncEnumerable<CoapDeviceNotification> ObserveAsync(
        string path, CoapContentFormat? accept = null, CancellationToken cancellationToken = default);

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
