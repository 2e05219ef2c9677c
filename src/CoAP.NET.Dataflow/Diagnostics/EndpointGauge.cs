namespace CoAP.NET;

/// <summary>The gauges of an endpoint.</summary>
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
