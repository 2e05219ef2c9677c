namespace CoAP.NET.Observing;

/// <summary>What a route says of its observers.</summary>
/// <param name="MaxAge">The Max-Age of answers to registrations and of notifications that name none, in seconds.</param>
/// <param name="Mode">How notifications are sent.</param>
/// <param name="Refreshes">Whether a notification is sent before Max-Age ends although nothing changed.</param>
/// <param name="Probes">Whether one of the Non-confirmable notifications may be Confirmable so that it tells the round-trip time.</param>
internal sealed record ObserveSettings(uint MaxAge, CoapNotificationMode Mode, bool Refreshes, bool Probes);
