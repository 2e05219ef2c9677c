namespace CoAP.NET.Diagnostics;

/// <summary>The current values of an endpoint that metrics report.</summary>
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
