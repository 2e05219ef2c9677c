namespace CoAP.NET.Cluster;

/// <summary>Makes failures of requests to devices of those to peers, so that they are the same wherever a device is.</summary>
internal static class DeviceFailure
{
    /// <summary>The failure of a request to a device.</summary>
    /// <param name="failure">That of the request to the peer.</param>
    /// <param name="name">The name of the device.</param>
    /// <param name="lastHeard">When it was last heard.</param>
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
        // One in the middle of a transfer has the failure of a block as its cause.
        CoapUnreachableException unreachable =>
            new CoapDeviceUnreachableException(name, unreachable.Message, unreachable.InnerException is not null, unreachable),
        _ => new CoapDeviceException(name,
            $"The device '{CoapForeignText.LineOf(name)}' could not be asked: {CoapForeignText.LineOf(failure.Message)}", failure),
    };

    /// <summary>The failure of a request that another node was to send.</summary>
    /// <param name="failure">That of the request to the node.</param>
    /// <param name="name">The name of the device.</param>
    /// <param name="node">The node.</param>
    public static CoapDeviceException AtNode(CoapException failure, string name, CoapNodeId node)
    {
        bool isUnknown = failure is CoapTimeoutException { IsOutcomeUnknown: true } or CoapConnectionException { IsOutcomeUnknown: true };
        return new CoapDeviceUnreachableException(name, $"node {node}, which has its session, did not answer. {failure.Message}", isUnknown,
            failure);
    }
}
