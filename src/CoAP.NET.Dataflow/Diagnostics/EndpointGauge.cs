namespace CoAP.NET.Diagnostics;

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
