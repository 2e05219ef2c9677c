namespace CoAP.NET;

/// <summary>The gauges of an endpoint.</summary>
internal enum EndpointGauge
{
    ActiveRequests,
    Observers,
    ObservationsRegistering,
    ObservationsObserving,
    ObservationsNotObserving,
    ObservationsStale,
    ObservationsReregistering,
    Outstanding,
    Waiting,
    Transfers,
    TransferBytes,
    Peers,
    Connections,
}
