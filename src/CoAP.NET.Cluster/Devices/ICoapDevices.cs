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
