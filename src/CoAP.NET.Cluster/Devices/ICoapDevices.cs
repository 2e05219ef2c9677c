namespace CoAP.NET.Cluster;

/// <summary>
/// The devices that servers of a cluster know, by name. To be injected: <c>devices["meter-7"].GetAsync("/3/0/9")</c> asks a device over the
/// session or connection that it has with one of the nodes. Which peer is which device says <c>DevicesAre</c>, or <see cref="Announce"/>.
/// Thread-safe.
/// </summary>
public interface ICoapDevices
{
    /// <summary>The length of a name at most, in bytes of UTF-8: 255.</summary>
    const int MaxNameLength = 255;

    /// <summary>
    /// A device, be it known or not: that is found out when it is asked. It costs nothing and need not be kept.
    /// </summary>
    /// <param name="name">Its name, 1 to 255 bytes of UTF-8.</param>
    /// <exception cref="ArgumentException">The name is empty, too long, or no text that has UTF-8.</exception>
    ICoapDevice this[string name] { get; }

    /// <summary>
    /// Observes a resource at all devices (RFC 7641), on whatever node each is: at those that are there, and at those that come, when they
    /// have connected. It goes on wherever devices are when their slots move or nodes die. Each node observes its devices once for all who
    /// observe the same resource, and registers at a pace (<see cref="CoapDeviceOptions.RegistrationsPerSecond"/>).
    /// </summary>
    /// <remarks>
    /// A reader that is slow misses states, never devices: each device waits once for him, whatever happens at it, and when its turn comes
    /// he is told its newest state. After a node or a link was lost he may be told a state that he has. A session that outlives its node
    /// keeps its registration: the next node takes notifications under the same token, and the device is sent nothing; when a node died,
    /// the state is read once, as the last notifications may be lost with it. Devices are told a minute after the last observer has gone,
    /// so that whoever restarts and observes the same again goes on with their registrations.
    /// </remarks>
    /// <param name="path">The path of the resource, such as <c>/3303/0/5700</c>, with a query if need be.</param>
    /// <param name="accept">The Content-Format that is asked for; null for that of each device.</param>
    /// <param name="cancellationToken">Ends the observation, as the end of the enumeration does.</param>
    /// <returns>What happens, in an order that is that of each device. It ends by cancellation only.</returns>
    /// <exception cref="ArgumentException">The path is none, or too long.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled, while somebody reads.</exception>
    /// <exception cref="ObjectDisposedException">The cluster has ended.</exception>
    IAsyncEnumerable<CoapDeviceNotification> ObserveAsync(
        string path, CoapContentFormat? accept = null, CancellationToken cancellationToken = default);

    /// <summary>The devices that have a session or connection with a server of this node, or were announced here; a list of its own.
    /// </summary>
    /// <returns>The devices, in no order.</returns>
    IReadOnlyList<CoapDeviceStatus> GetLocal();

    /// <summary>
    /// Says that a peer is a device, for peers of which no session or connection tells: on plain <c>coap</c>, or behind OSCORE. A server
    /// calls it when the device registers. Whoever was the device before is it no more. The name has to be one that the peer has proved.
    /// </summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="peer">The peer, of an endpoint of this node.</param>
    /// <exception cref="ArgumentException">The name is empty, too long, or no text that has UTF-8.</exception>
    void Announce(string name, CoapPeer peer);

    /// <summary>
    /// Forgets a device that does not exist any more, such as one that was removed from service: it is unknown afterwards, until it
    /// connects again.
    /// </summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that ends when the store has forgotten it.</returns>
    /// <exception cref="ArgumentException">The name is empty, too long, or no text that has UTF-8.</exception>
    /// <exception cref="CoapClusterStoreException">The store cannot be asked now, or the node that has the records of the device could not
    /// be told.</exception>
    Task ForgetAsync(string name, CancellationToken cancellationToken = default);
}
