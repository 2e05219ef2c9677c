using CoAP.NET.Orleans.Devices;
using Orleans.Concurrency;
using Orleans.Services;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>
/// What a node does for the other nodes. There is one per silo, which <see cref="CoapNodeClient.At"/> addresses.
/// </summary>
[Alias("coap.node")]
internal interface ICoapNodeService : IGrainService
{
    /// <summary>
    /// Handles posts of another node, in their order: relayed datagrams, removed sessions of short handshakes, and changes of servers.
    /// </summary>
    /// <param name="from">The sending node.</param>
    /// <param name="path">The path that selects their handler.</param>
    /// <param name="items">The posts.</param>
    /// <returns>A task whose completion asks for the next ones.</returns>
    [Alias("post")]
    Task PostAsync(Guid from, string path, byte[][] items);

    /// <summary>Answers a question of another node, about the way of relayed datagrams, or for a table.</summary>
    /// <param name="from">The asking node.</param>
    /// <param name="path">The path that selects its handler.</param>
    /// <param name="question">The question.</param>
    /// <returns>The answer; null for none.</returns>
    [Alias("request"), ResponseTimeout("00:02:00")]
    Task<byte[]?> RequestAsync(Guid from, string path, byte[] question);

    /// <summary>Handles a call about a device of the node.</summary>
    /// <param name="from">The calling node.</param>
    /// <param name="call">The call.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The answer.</returns>
    [Alias("ask-device"), ResponseTimeout("00:15:00")]
    Task<byte[]> AskDeviceAsync(Guid from, DeviceCall call, CancellationToken cancellationToken);
}
