namespace CoAP.NET.Peers;

/// <summary>Waits for the end of requests of the peer of a connection.</summary>
internal interface IConnectionRequestWaiter
{
    /// <summary>Handles the end of all requests, or of one side of their count. The caller holds no lock.</summary>
    void OnRequestsEnded(CoapChannel channel);
}
