using Orleans.Concurrency;

namespace CoAP.NET.Orleans;

// What a node does for the others with its devices (DeviceGateway).
internal partial interface ICoapNodeService
{
    /// <summary>Returns what the node knows of a device.</summary>
    /// <param name="name">The name of the device.</param>
    /// <returns>Null if it does not have the device.</returns>
    Task<DeviceSighting?> FindDeviceAsync(string name);

    /// <summary>Removes a session of a device: another node has a newer one, or the device is forgotten.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="number">The number of the session; null for any.</param>
    /// <param name="isForgotten">Whether the device is forgotten.</param>
    [OneWay]
    Task DropDeviceAsync(string name, long? number, bool isForgotten);

    /// <summary>Sends a request to a device of the node.</summary>
    /// <param name="request">The request.</param>
    /// <param name="timeout">Its timeout; null for that of the session.</param>
    /// <param name="cancellationToken">Aborts it.</param>
    /// <returns>The response or the failure.</returns>
    [ResponseTimeout("00:15:00")]
    Task<byte[]> AskDeviceAsync(byte[] request, TimeSpan? timeout, CancellationToken cancellationToken);

    /// <summary>
    /// Observes a device of the node, and returns its state when it is another one than the caller knows, or after some time. The
    /// observation ends if the caller does not call again.
    /// </summary>
    /// <param name="from">The node that observes.</param>
    /// <param name="number">The number of the observation at that node.</param>
    /// <param name="resource">The resource; empty for an observation that has begun.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    [ResponseTimeout("00:15:00")]
    Task<DeviceNews> ObserveDeviceAsync(Guid from, long number, byte[] resource, CancellationToken cancellationToken);

    /// <summary>Waits for some time until a device of the node is awake.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether it is awake; null if the node does not have it.</returns>
    [ResponseTimeout("00:15:00")]
    Task<bool?> WhenDeviceAwakeAsync(string name, CancellationToken cancellationToken);

    /// <summary>Answers a question about the outboxes of the node.</summary>
    /// <param name="question">The question.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    [ResponseTimeout("00:15:00")]
    Task<byte[]> AskOutboxAsync(byte[] question, CancellationToken cancellationToken);

    /// <summary>Ends an observation.</summary>
    /// <param name="from">The node that observed.</param>
    /// <param name="number">The number of the observation at that node.</param>
    [OneWay]
    Task EndObservationAsync(Guid from, long number);
}
