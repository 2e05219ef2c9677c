namespace CoAP.NET.Cluster;

/// <summary>Converts failures of requests to peers into failures of requests to devices, so that they are the same on every node.</summary>
internal static class DeviceFailure
{
    /// <summary>Converts the failure of a request.</summary>
    /// <param name="failure">The failure of the request to the peer.</param>
    /// <param name="name">The name of the device.</param>
    /// <param name="lastHeard">The time of its last message.</param>
    /// <param name="isAsleep">Whether it counts as asleep now.</param>
    public static CoapDeviceException Of(CoapException failure, string name, DateTimeOffset lastHeard, bool isAsleep) => failure switch
    {
        CoapDeviceException already => already,
        CoapTimeoutException timeout when isAsleep =>
            new CoapDeviceAsleepException(name, lastHeard, timeout.IsOutcomeUnknown, timeout),
        CoapTimeoutException timeout =>
            new CoapDeviceUnreachableException(name, timeout.Message, timeout.IsOutcomeUnknown, timeout),
        CoapConnectionException connection =>
            new CoapDeviceUnreachableException(name, connection.Message, connection.IsOutcomeUnknown, connection),
        // A failure in the middle of a transfer has the failure of a block as its cause.
        CoapUnreachableException unreachable =>
            new CoapDeviceUnreachableException(name, unreachable.Message, unreachable.InnerException is not null, unreachable),
        _ => new CoapDeviceException(name,
            $"The request to the device '{CoapForeignText.LineOf(name)}' failed: {CoapForeignText.LineOf(failure.Message)}", failure),
    };

    /// <summary>Converts the failure of a request through another node.</summary>
    /// <param name="failure">The failure of the request to the node.</param>
    /// <param name="name">The name of the device.</param>
    /// <param name="node">The node.</param>
    public static CoapDeviceException AtNode(CoapException failure, string name, CoapNodeId node)
    {
        bool isUnknown = failure is CoapTimeoutException { IsOutcomeUnknown: true } or CoapConnectionException { IsOutcomeUnknown: true };
        return new CoapDeviceUnreachableException(name, $"node {node}, which has its session, did not answer. {failure.Message}", isUnknown,
            failure);
    }
}
