namespace CoAP.NET;

/// <summary>What an endpoint has at the moment, in numbers.</summary>
internal enum EndpointGauge
{
    ActiveRequests,
    Observers,
    Observations,
    Outstanding,
    Waiting,
    Transfers,
    TransferBytes,
    Peers,
    Connections,
}
