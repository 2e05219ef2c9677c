namespace CoAP.NET.Orleans;

// What a node does for the others with its devices (DeviceGateway).
internal partial interface ICoapNodeService
{
    /// <summary>Handles a call about a device of the node.</summary>
    /// <param name="from">The calling node.</param>
    /// <param name="call">The encrypted <see cref="DeviceCall"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The encrypted answer; null if the call does not open.</returns>
    [ResponseTimeout("00:15:00")]
    Task<byte[]?> AskDeviceAsync(Guid from, byte[] call, CancellationToken cancellationToken);
}
